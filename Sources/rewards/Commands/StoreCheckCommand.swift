import Failures
import LedgerDatabase
import StrictJSON

/// Checks what a database keeps beside its ledgers' chains against those chains.
struct StoreCheckCommand: Command {
  static let spec = CommandSpec(
    "store check",
    "hold the rows of heads, seals and keys of the database that \"data\" names against its ledgers",
    shards: .none,
    details: """
      What a ledger says stands in its lines, which "rewards ledger verify" checks. Beside them the database
      keeps each shard's head, seals and the keys of grants: they keep two writers from appending the same.
      This reads all lines and tells each row that is missing, surplus or different. Others may write meanwhile.
      """,
    options: [
      .init(
        "mend-keys",
        help: "give the table of keys the rows that it should have; stop the service first")
    ],
    examples: [
      .init("rewards store check", "after a restored or damaged database, and now and then"),
      .init("rewards store check --mend-keys", "when rows of rewards.grant_key are wrong"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let mends = arguments.has("mend-keys")
    let checks = try await context.requireDatabase().run { pool in
      mends
        ? try ShardCheck.mendingKeys(pool, worker: "rewards store check")
        : try ShardCheck.all(pool)
    }
    let isSound = checks.allSatisfy { $0.isSound }
    context.report {
      checks.map { text(of: $0, mends: mends) }.joined()
    } json: { json in
      json.member("ok", isSound)
      json.objects("shards", checks) { json, check in write(check, to: &json) }
    }
    return isSound ? .done : .attention
  }

  private static func text(of check: ShardCheck, mends: Bool) -> String {
    var text = check.flaws.map { flaw in
      "rewards.\(flaw.table), shard \(check.shard), line \(flaw.seq): \(flaw.what)\n"
    }.joined()
    text += "shard \(check.shard): \(check.grants) grants up to \(check.head), "
    if check.mended > 0 { text += "\(check.mended) rows of keys mended, " }
    if check.isSound { return text + "every row fits\n" }
    text += "\(check.flawCount) rows are wrong"
    if check.flawCount > check.flaws.count { text += ", the first of which are listed" }
    text += "\nTry: "
    text +=
      check.isMendable && !mends
      ? "stop the service, then rewards store check --mend-keys\n"
      : "rewards ledger verify; then bring a backup into another database (rewards ledger restore DIR), and compare\n"
    return text
  }

  private static func write(_ check: ShardCheck, to json: inout JSONWriter) {
    json.member("shard", Int(check.shard))
    LedgerHeadCommand.write(check.head, to: &json)
    json.member("grants", check.grants)
    json.member("wrong", check.flawCount)
    json.member("mended", check.mended)
    json.objects("flaws", check.flaws) { json, flaw in
      json.member("table", flaw.table)
      json.member("seq", flaw.seq)
      json.member("what", flaw.what)
    }
  }
}
