import CivilTime
import Configuration
import Described
import Digests
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Copies the ledger to a safe place.
struct LedgerBackupCommand: Command {
  static let spec = CommandSpec(
    "ledger backup", "copy the ledger to a folder: consistent, only what is new, while serving",
    shards: .one,
    details: """
      Copies the ledger up to its last seal, the folders of the sinks, the looks of open days and what waits in
      the inbox, and reads again what it wrote. The first time everything, later only what has come since;
      cut short, the last backup is still whole and the next one goes on. A ledger that does not hold the
      end of the last backup (cut, or another one) is refused, and the backup stays as it was.

      Not in it: rewards.json, roster, rules files, credentials and the draw secret. Keep them elsewhere too;
      without the draw secret a restored ledger cannot be written. All that reads works on a backup with
      --data DIR. For the disk's sake DIR should lie on another one.
      """,
    arguments: [.init("DIR", help: "the backup's folder; one for each ledger")],
    options: [
      .init("full", help: "check the whole backup again, not only what is new")
    ],
    examples: [
      .init("rewards ledger backup /backup/rewards", "as often as you like, from a job or cron"),
      .init("rewards ledger backup /backup/rewards --full", "once a week: all of it is read again"),
    ])

  private static let output = JSONMembers<(folder: String, report: LedgerBackup.Report)> {
    $0.add("directory", \.folder)
    $0.add("ledger", \.report.ledger)
    $0.add("head", \.report.head)
    $0.add("copiedBytes", \.report.copiedBytes)
    $0.add("checkedRecords", \.report.checkedRecords)
    $0.add("sinks", \.report.sinks)
    $0.add("files", \.report.files)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let folder = arguments.arguments[0]
    let configuration = try context.configuration()
    let report = try await LedgerReading.backup(
      configuration.directory, into: folder, isFull: arguments.has("full"),
      now: context.present, command: "rewards ledger backup", of: configuration.shardID)
    context.report((folder, report), as: output) {
      "\(report.copiedBytes) bytes copied to \(folder), \(report.checkedRecords) lines checked; "
        + "the backup ends with \(report.head)\n"
    }
    return .done
  }
}
