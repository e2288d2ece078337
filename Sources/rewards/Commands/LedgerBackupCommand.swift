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
    "ledger backup", "copy the ledger to a folder, consistently and incrementally, while serving",
    shards: .one,
    details: """
      Copies the ledger up to its last seal, the folders of the sinks, the polls of open
      days and what waits in the inbox, and reads back what it wrote. The first backup
      copies everything, later ones what is new. If one is interrupted, the last backup
      stays whole and the next one continues. A ledger that does not contain the end of the
      last backup (cut short, or another ledger) is refused, and the backup stays as it was.

      A backup does not contain rewards.json, the roster, rules files, credentials and the
      draw secret. Keep copies of them too: without the draw secret, nobody can write to a
      restored ledger. Every command that only reads works on a backup with --data DIR. Put
      DIR on another disk.
      """,
    arguments: [.init("DIR", help: "the backup's folder; one for each ledger")],
    options: [
      .init("full", help: "check the whole backup again, not only what is new")
    ],
    examples: [
      .init("rewards ledger backup /backup/rewards", "as often as you like, from a job or cron"),
      .init("rewards ledger backup /backup/rewards --full", "once a week, to check all of it"),
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
