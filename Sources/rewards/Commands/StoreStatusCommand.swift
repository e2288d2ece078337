import Failures
import Foundations
import LedgerDatabase
import StrictJSON

/// Shows who writes to a database.
struct StoreStatusCommand: Command {
  static let spec = CommandSpec(
    "store status", "the ledgers of the database that \"data\" names: holders, tokens, heads",
    shards: .none,
    details: """
      One line per shard. The token rises each time that a writer takes the lease; LEFT tells for how many
      seconds it lasts without a renewal, and is negative when it has ended. OPEN counts dates of zones
      that have ended and are not closed, as the shard told the others last, and LAG tells how long ago the
      first of them ended; what sinks have still to get, rewards relay status tells.

      Below that, one line per live worker with the beginnings of the digests of what it goes by: settings
      (but for places, addresses and secrets), rules, roster, jobs and time zones, as it last read them. All
      workers must have the same; one that is held back serves nothing until it has the time zones of the
      others.
      """,
    examples: [.init("rewards store status", "of the configured database")])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let (shards, workers, lags) = try await context.requireDatabase().run { pool in
      (
        try ShardStatus.all(pool), try ShardFleet.workers(pool),
        try ShardStreaks(pool, shard: 0).lags()
      )
    }
    let parts = WorkerInputs.parts
    let inputs = workers.map { WorkerInputs(parsing: $0.inputs) }
    let differences = WorkerInputs.differences(among: inputs)
    context.report {
      var table = TextTable(
        ["SHARD", "TOKEN", "HEAD", "LEFT", "OPEN", "LAG", "HOLDER"],
        Array(repeating: .right, count: 6))
      for shard in shards {
        let lag = lags[shard.shard]
        table.add([
          "\(shard.shard)", "\(shard.token)", "\(shard.seq)", "\(shard.secondsLeft) s",
          lag.map { "\($0.openDays)" } ?? "–", lag.map { "\($0.seconds) s" } ?? "–",
          shard.holder ?? "nobody yet",
        ])
      }
      if workers.isEmpty { return table.text }
      var fleet = TextTable(["WORKER"] + parts.map { $0.uppercased() })
      for (worker, inputs) in zip(workers, inputs) {
        let name =
          WorkerInputs.isHeldBack(worker.inputs) ? "\(worker.name) (held back)" : worker.name
        fleet.add([name] + parts.map { String((inputs.digests[$0] ?? "–").prefix(8)) })
      }
      let warning =
        differences.isEmpty
        ? "" : "\nThe workers go by different inputs: \(differences.joined(separator: ", ")).\n"
      return table.text + "\n" + fleet.text + warning
    } json: { json in
      json.objects("shards", shards) { json, shard in
        json.member("shard", Int(shard.shard))
        json.member("token", Int(shard.token))
        json.member("seq", shard.seq)
        json.member("secondsLeft", Int(shard.secondsLeft))
        if let lag = lags[shard.shard] {
          json.member("openDays", Int(lag.openDays))
          json.member("lagSeconds", Int(lag.seconds))
        }
        if let holder = shard.holder { json.member("holder", holder) }
      }
      json.objects("workers", Array(zip(workers, inputs))) { json, worker in
        json.member("worker", worker.0.name)
        if WorkerInputs.isHeldBack(worker.0.inputs) { json.member("isHeldBack", true) }
        for part in parts {
          if let digest = worker.1.digests[part] { json.member(part, digest) }
        }
      }
      json.member("differences", differences)
    }
    return .done
  }
}
