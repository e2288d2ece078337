import Described
import Failures
import LedgerDatabase
import StrictJSON

/// Checks what a database keeps beside its ledgers' chains against those chains.
struct StoreCheckCommand: Command {
  static let spec = CommandSpec(
    "store check", "compare a database's heads, seals and keys with its ledgers",
    shards: .none, isForDatabases: true, isPaged: true,
    details: """
      A ledger's records are what counts, and rewards ledger verify checks them. Beside them
      the database keeps each shard's head, seals and grant keys, which keep two writers
      from appending the same. This reads all records and lists each row that is missing,
      surplus or different. Others may write meanwhile.
      """,
    options: [
      .init(
        "mend-keys",
        help: "correct the rows of the table of keys; stop the service first")
    ],
    examples: [
      .init("rewards store check", "after restoring or repairing a database, and now and then"),
      .init("rewards store check --mend-keys", "when rows of rewards.grant_key are wrong"),
    ])

  private static let output = JSONMembers<[ShardCheck]> {
    $0.add("ok") { $0.allSatisfy(\.isSound) }
    $0.list("shards", { $0 }) {
      $0.add("shard", \.shard)
      $0.add("head", \.head)
      $0.add("grants", \.grants)
      $0.add("wrong", \.flawCount)
      $0.add("mended", \.mended)
      $0.list("flaws", \.flaws) {
        $0.add("table", \.table)
        $0.add("seq", \.seq)
        $0.add("what", \.what)
      }
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

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
    context.report(checks, as: output) {
      checks.map { text(of: $0, mends: mends) }.joined()
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
}
