import CivilTime
import Configuration
import Described
import Digests
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Restores a backup.
struct LedgerRestoreCommand: Command {
  static let spec = CommandSpec(
    "ledger restore", "restore a backup into an empty data folder, and check all of it",
    shards: .one,
    details: """
      It refuses a data folder that is not empty: move its contents away first, and keep
      them. Nobody can open a ledger there before the restore is finished; if it is
      interrupted, repeat it.

      The backup does not hold what came after it. Grants come again, with the same keys,
      where the API still shows the activity; the rest of those days is unknown, and holds
      streaks. Inbox lines received since the backup are missing until you ingest them
      again: copy each source's files of these days from inbox/SOURCE/done of the old folder to
      inbox/SOURCE/incoming, then collect those of people from inbox/done and run rewards
      ingest FILE --after-restore. Until then the inbox proves nothing, so that what
      was lost breaks no streak. Repeat acts by hand, such as grants and excuses. New events
      get ids (LEDGER/SEQ) that other events had before: tell the receivers.
      """,
    arguments: [.init("DIR", help: "the folder that rewards ledger backup wrote")],
    options: [
      .init("inbox-complete", help: "nothing was added to the inbox after the backup")
    ],
    examples: [
      .init("rewards ledger restore /backup/rewards", "into the configured data folder"),
      .init(
        "rewards ledger restore /backup/rewards --data /tmp/trial",
        "into another folder, as a trial"),
    ])

  private static let output = JSONMembers<(folder: String, report: LedgerRestore.Report)> {
    $0.add("directory", \.folder)
    $0.add("ledger", \.report.ledger)
    $0.add("madeAt", \.report.madeAt)
    $0.add("head", \.report.head)
    $0.add("checkedRecords", \.report.checkedRecords)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let folder = arguments.arguments[0]
    let configuration = try context.configuration()
    let target = configuration.directory
    let report = try await LedgerReading.restore(
      folder, into: target, command: "rewards ledger restore",
      isInboxComplete: arguments.has("inbox-complete"), of: configuration.shardID)
    context.report((target.path, report), as: output) {
      """
      restored to \(target.path) as it was at \(report.madeAt): \(report.checkedRecords) lines checked, head \(report.head)
      \(rest(arguments.has("inbox-complete")))
      repeat acts by hand made after that backup; event ids LEDGER/SEQ from \(report.head.seq + 1) on will be used a second time: rewards help ledger restore

      """
    }
    return .done
  }

  private static func rest(_ isInboxComplete: Bool) -> String {
    isInboxComplete
      ? "the inbox counts as complete"
      : "inbox lines received since that backup may be missing, so days stay unknown; re-submit them with rewards ingest FILE --after-restore"
  }
}
