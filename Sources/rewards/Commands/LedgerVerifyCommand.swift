import Described
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Checks the integrity of the ledger.
struct LedgerVerifyCommand: Command {
  static let spec = CommandSpec(
    "ledger verify", "check sequence and seals of the whole ledger; changes nothing",
    details: """
      The last seal is held against the heads that are kept beside the ledger, in snapshots and the
      cursors of the sinks, and against --head: records cut from the end show in no other way.
      """,
    options: [
      .init("head", "SEQ:HASH", help: "a head that was noted elsewhere and must be in the ledger")
    ],
    examples: [
      .init("rewards ledger verify", "check everything"),
      .init("rewards ledger verify --data /backup/rewards --format json", "check a backup"),
    ])

  private static let output = JSONMembers<VerificationReport> {
    $0.add("ok", \.isIntact)
    $0.add("records", \.records)
    $0.add("head", \.head)
    $0.list("damage", \.damage) {
      $0.add("segment", \.segment)
      $0.add("line", \.line)
      $0.add("byte", \.byte)
      $0.add("what", \.what)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let heads = try await HeadArgument.read(arguments, in: context, configuration)
    let bar = context.progress("verifying", total: 1)
    let report = try await LedgerReading.verify(configuration, heads: heads) {
      bar.update(done: $0, of: $1)
    }
    bar.finish()
    context.report(report, as: output) {
      text(of: report)
    }
    return report.isIntact ? .done : .attention
  }

  private static func text(of report: VerificationReport) -> String {
    let damage = report.damage.map { "\($0)\n" }.joined()
    let verdict =
      report.isIntact
      ? "the ledger is intact"
      : report.damage.count == 1
        ? "1 place is damaged" : "\(report.damage.count) places are damaged"
    let remedy =
      report.isIntact
      ? ""
      : "Try: keep the folder as it is, put a backup into another one (rewards ledger restore DIR), and compare\n"
    return "\(damage)\(verdict): \(report.records) records, head \(report.head)\n\(remedy)"
  }
}
