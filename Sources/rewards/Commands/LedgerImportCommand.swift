import Configuration
import Described
import Failures
import Foundations
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Divides one ledger's users among the shards of a database.
struct LedgerImportCommand: Command {
  static let spec = CommandSpec(
    "ledger import", "divide the users of one ledger among the shards of a database",
    isForDatabases: true,
    details: """
      Reads a backup of a ledger with all users (rewards ledger backup), and gives each
      shard of the configured database a ledger of its own users: the same records, times
      and keys, the polls of open days, what waited in the inbox, and the position of each
      sink. Records get new sequence numbers, and closes the figures of the shard's users.
      The last record of each ledger names the old ledger and its last seal.

      Stop the service before the backup, and let nobody write to the old ledger afterwards:
      no shard would get it. Keep the old ledger; it proves what each record was. With
      --inbox-complete, nothing was added to the inbox after the backup; otherwise the inbox
      proves nothing until that is ingested again: see rewards help ledger restore. Let the
      sinks catch up first (rewards relay status): what they have not received arrives with
      ids of the new ledgers, and dead letters and requested replays are not sent. Requests
      without an approval must be made again.

      It checks the whole backup for each shard, in the folder of --work, which needs three
      times the backup's size. All shards must be empty, and nobody can open one before it
      has its users. If it is interrupted, repeat it with the same backup; you may delete
      what a killed import leaves in that folder (rewards-…).
      """,
    arguments: [.init("DIR", help: "the folder that rewards ledger backup wrote")],
    options: [
      .init("inbox-complete", help: "nothing was added to the inbox after the backup"),
      .init(
        "work", "DIR",
        help:
          "the folder for a shard's ledger before it goes to the database (default: $TMPDIR, else /tmp)"
      ),
    ],
    examples: [
      .init(
        "rewards ledger import /backup/rewards --inbox-complete", "after store migrate --shards 16"),
      .init("rewards ledger import /backup/rewards --shard 3", "the users of one shard"),
    ])

  private static let output = JSONMembers<LedgerImport.Report> {
    $0.add("ledger", \.ledger)
    $0.add("head", \.head)
    $0.optional("users", \.users)
    $0.add("source", \.source)
    $0.add("sourceHead", \.sourceHead.description)
  }

  /// The shard stands before it, as in front of everything that a command says of one of several ledgers.
  static var outputs: [JSONShape] {
    [.object([.init("shard", .integer(nil))] + output.fields)]
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    guard let shardID = configuration.shardID else {
      throw Failure(
        .usage, "the data folder \(configuration.data) is not in a database with several shards",
        place: "data",
        remedy: "Restore the backup as it is: rewards ledger restore DIR.")
    }
    let temporary = context.environment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = try ScratchFolder(in: arguments.value("work") ?? temporary ?? "/tmp")
    defer { folder.remove() }
    let database = try context.requireDatabase()
    let shards = (0..<shardID.count).map {
      database.configuration(configuration, of: ShardID($0, of: shardID.count)).directory
    }
    let report = try await LedgerImport(
      arguments.arguments[0], as: shardID, configuration, of: shards,
      context.runtimeEnvironment("rewards ledger import")
    ).run(
      .init(isInboxComplete: arguments.has("inbox-complete"), workFolder: folder.path))
    context.report(report, as: output) {
      report.users.map {
        "\($0) users of the ledger \(report.source), up to \(report.sourceHead); "
          + "the new ledger is \(report.ledger), head \(report.head)\n"
      } ?? "the users are there already: ledger \(report.ledger), head \(report.head)\n"
    }
    return .done
  }
}
