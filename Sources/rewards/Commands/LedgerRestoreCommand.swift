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
    "ledger restore", "put a backup into an empty data folder, and check all of it", shards: .one,
    details: """
      Refused when anything lies in the data folder: move that away first, and keep it. Until the restore is
      finished nobody can open a ledger there; cut short, repeat it.

      What came after the backup is not in it. Grants come again, with the same keys, where the API still
      tells of what was done; the rest of those days is unknown, and holds streaks. What the inbox told is
      lost unless it is handed in again: collect the files of these days in inbox/done of the old folder, and
      hand them in with rewards ingest FILE --after-restore. Until then the inbox proves nothing, so that no
      streak breaks for what was lost. Acts by hand, as grants and excuses, are done again by hand. Ids of
      events that name a line (LEDGER/SEQ) are given again to other events: tell receivers.
      """,
    arguments: [.init("DIR", help: "the folder that rewards ledger backup wrote")],
    options: [
      .init("inbox-complete", help: "the inbox was told nothing since the backup was made")
    ],
    examples: [
      .init("rewards ledger restore /backup/rewards", "into the configured data folder"),
      .init(
        "rewards ledger restore /backup/rewards --data /tmp/trial", "into another one, to try it"),
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
      do acts by hand again that came after it; event ids LEDGER/SEQ from \(report.head.seq + 1) on are given again: rewards help ledger restore

      """
    }
    return .done
  }

  private static func rest(_ isInboxComplete: Bool) -> String {
    isInboxComplete
      ? "the inbox counts as complete"
      : "days stay unknown until what the inbox was told since then is handed in again: rewards ingest FILE --after-restore"
  }
}
