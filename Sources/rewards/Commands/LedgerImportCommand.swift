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
      Takes a backup of a ledger that has all users, as rewards ledger backup wrote it, and gives each shard of
      the database that data names a ledger of its users: the same lines, times and keys, the looks of open
      days, what waited in the inbox, and where each sink stood. Lines have other numbers, and closes the
      figures of the shard's users. The last line of each names the old ledger and its last seal.

      Stop the service before the backup, and let nobody write to the old ledger afterwards: what comes to it
      later is in no shard. Keep it; it proves what each line was. With --inbox-complete nothing was handed in
      to the inbox since the backup; else the inbox proves nothing until that is handed in again: see rewards
      help ledger restore. Let the sinks catch up before (rewards relay status): what they have not been sent
      by then comes with the ids of the new ledgers, and what was given up or asked for again is not sent.
      Requests that nobody has approved are made anew.

      The backup is checked whole, for each shard, in the folder of --work, which takes three times its size.
      All shards must be empty, and nobody gets into any of them before it has its users. Cut short, repeat
      it with the same backup; what an import that was killed leaves in that folder (rewards-…) can go.
      """,
    arguments: [.init("DIR", help: "the folder that rewards ledger backup wrote")],
    options: [
      .init("inbox-complete", help: "the inbox was told nothing since the backup was made"),
      .init(
        "work", "DIR",
        help:
          "where a shard's ledger is made before it goes to the database; default $TMPDIR, else /tmp"
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
        .usage, "the data folder \(configuration.data) is none of a database with several shards",
        place: "data",
        remedy: "Put the backup back as it is: rewards ledger restore DIR.")
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
