import Described
import Failures
import Foundations
import LedgerDatabase
import StrictJSON

/// Shows who writes to a database.
struct StoreStatusCommand: Command {
  static let spec = CommandSpec(
    "store status", "show a database's shards: holders, tokens, heads; and its workers",
    shards: .none, isForDatabases: true, isPaged: true,
    details: """
      Prints one line per shard. TOKEN rises each time a writer acquires the lease. LEFT is
      how many seconds the lease lasts without a renewal; it is negative once the lease has
      ended. OPEN counts the dates of zones that have ended and are not closed, as the shard
      last published them, and LAG is how long ago the first of them ended. rewards relay
      status shows what sinks have not received.

      Below that, one line per live worker holds digests of its inputs as it last read them:
      settings (without places, addresses and secrets), rules, roster, jobs and time zones.
      All workers need the same inputs. A worker that is held back serves nothing until it
      has the time zones of the others.
      """,
    examples: [.init("rewards store status", "the configured database")])

  private static let output = JSONMembers<
    (
      shards: [(status: ShardStatus, lag: ShardStreaks.Lag?)],
      workers: [(worker: ShardFleet.Worker, inputs: WorkerInputs)], differences: [String]
    )
  > {
    $0.list("shards", \.shards) {
      $0.add("shard", \.status.shard)
      $0.add("token", \.status.token)
      $0.add("seq", \.status.seq)
      $0.add("secondsLeft", \.status.secondsLeft)
      $0.optional("openDays", \.lag?.openDays)
      $0.optional("lagSeconds", \.lag?.seconds)
      $0.optional("holder", \.status.holder)
    }
    $0.list("workers", \.workers) {
      $0.add("worker", \.worker.name)
      $0.optional("isHeldBack") { WorkerInputs.isHeldBack($0.worker.inputs) ? true : nil }
      for part in WorkerInputs.parts { $0.optional(part) { $0.inputs.digests[part] } }
    }
    $0.add("differences", \.differences)
  }

  static var outputs: [JSONShape] { [output.shape] }

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
    context.report(
      (
        shards: shards.map { ($0, lags[$0.shard]) }, workers: Array(zip(workers, inputs)),
        differences
      ), as: output
    ) {
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
      if workers.isEmpty { return table.text(context.style) }
      var fleet = TextTable(["WORKER"] + parts.map { $0.uppercased() })
      for (worker, inputs) in zip(workers, inputs) {
        let name =
          WorkerInputs.isHeldBack(worker.inputs) ? "\(worker.name) (held back)" : worker.name
        fleet.add([name] + parts.map { String((inputs.digests[$0] ?? "–").prefix(8)) })
      }
      let warning =
        differences.isEmpty
        ? "" : "\nThe workers go by different inputs: \(differences.joined(separator: ", ")).\n"
      return table.text(context.style) + "\n" + fleet.text(context.style) + warning
    }
    return .done
  }
}
