import Described
import Failures
import Foundations
import LedgerDatabase
import StrictJSON

/// Creates the tables of a database.
struct StoreMigrateCommand: Command {
  static let spec = CommandSpec(
    "store migrate", "create a database's tables, or bring them up to date", shards: .none,
    isForDatabases: true,
    details: """
      Creates the schema "rewards" where it is missing, brings it up to date, and refuses
      tables that a later version has created. The account needs the right to create a
      schema in the database.

      --shards divides the users among this many ledgers, for good: several workers serve
      them side by side. One shard carries some hundred thousand users; create two for each
      worker that you may ever want.
      """,
    options: [
      .init(
        "shards", "N", help: "give a new database this many shards (default: 1, at most 256)"),
      .init(
        "refuse-older",
        help: "from now on, let no older program acquire a shard; update all programs first"),
    ],
    examples: [
      .init(
        "rewards store migrate --data postgres://rewards@db.example/rewards",
        "once, before the first start"),
      .init("rewards store migrate --shards 16", "for up to eight workers"),
    ])

  private static let output = JSONMembers<(schema: Int64, shards: Int64, changed: Bool)> {
    $0.add("schema", \.schema)
    $0.add("shards", \.shards)
    $0.add("changed", \.changed)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let database = try context.requireDatabase()
    let shards = try arguments.value("shards").map {
      Int64(try NumberArgument.parse($0, place: "--shards", in: 1...256))
    }
    let refusesOlder = arguments.has("refuse-older")
    let (isChanged, cluster) = try await database.run { pool in
      let schema = DatabaseSchema(pool)
      return (
        try schema.migrate(shards: shards, refusesOlder: refusesOlder), try schema.require()
      )
    }
    context.report((cluster.schema, cluster.shards, isChanged), as: output) {
      "\(database.pool.address.name): schema \(cluster.schema), \(cluster.shards) "
        + (cluster.shards == 1 ? "shard" : "shards")
        + (isChanged ? ", changed now\n" : ", up to date\n")
    }
    return .done
  }
}
