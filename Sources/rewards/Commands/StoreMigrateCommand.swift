import LedgerDatabase
import PostgreSQL
import StrictJSON
import Threading

/// Makes the tables of a database.
struct StoreMigrateCommand: Command {
  static let spec = CommandSpec(
    "store migrate",
    "make the tables of the database that \"data\" names, or bring them up to date",
    details: """
      Makes the schema "rewards" where it is missing; changes nothing when it is up to date, and refuses
      tables that a later version has made. The account needs the right to create a schema in the database.
      """,
    examples: [
      .init(
        "rewards store migrate --data postgres://rewards@db.example/rewards",
        "once, before the first start")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let pool = try StoreAccess.pool(context)
    let isChanged = try await StoreAccess.run { try DatabaseSchema(pool).migrate() }
    context.report {
      "\(pool.address.name): schema \(DatabaseSchema.version)"
        + (isChanged ? ", made now\n" : ", up to date\n")
    } json: { json in
      json.member("schema", Int(DatabaseSchema.version))
      json.member("changed", isChanged)
    }
    return .done
  }
}
