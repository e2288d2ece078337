import LedgerDatabase
import PostgreSQL
import StrictJSON
import Threading

/// Tells who writes to a database.
struct StoreStatusCommand: Command {
  static let spec = CommandSpec(
    "store status", "the ledgers of the database that \"data\" names: holders, tokens, heads",
    shards: .none,
    details: """
      One line per shard. The token rises each time that a writer takes the lease; LEFT tells for how many
      seconds it lasts without a renewal, and is negative when it has ended.
      """,
    examples: [.init("rewards store status", "of the configured database")])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let pool = try StoreAccess.pool(context)
    let shards = try await StoreAccess.run { try ShardStatus.all(pool) }
    context.report {
      var table = TextTable(
        ["SHARD", "TOKEN", "HEAD", "LEFT", "HOLDER"], [.right, .right, .right, .right])
      for shard in shards {
        table.add([
          "\(shard.shard)", "\(shard.token)", "\(shard.seq)", "\(shard.secondsLeft) s",
          shard.holder ?? "nobody yet",
        ])
      }
      return table.text
    } json: { json in
      json.objects("shards", shards) { json, shard in
        json.member("shard", Int(shard.shard))
        json.member("token", Int(shard.token))
        json.member("seq", shard.seq)
        json.member("secondsLeft", Int(shard.secondsLeft))
        if let holder = shard.holder { json.member("holder", holder) }
      }
    }
    return .done
  }
}
