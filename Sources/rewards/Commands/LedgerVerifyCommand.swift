import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Checks the integrity of the ledger.
struct LedgerVerifyCommand: Command {
  static let spec = CommandSpec(
    "ledger verify", "check sequence and seals of the whole ledger, and count what is in it",
    details: """
      Changes nothing in the ledger. Of one that is intact it tells how many records, grants and points there
      are, and makes the indexes in state/index that are missing, by which one user's lines are found fast.

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
    $0.optionalObject(
      "counts", { counts(of: $0) }, "of an intact ledger, without lines that were taken back",
      of: CountsText.list)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let heads = try await HeadArgument.read(arguments, in: context, configuration)
    // A ledger that cannot be opened is verified too.
    let ledger = try? await LedgerReading.open(configuration.directory)
    let bar = context.progress("verifying", total: 1)
    let report = try await LedgerReading.verify(
      configuration, heads: heads, opened: ledger, counting: true
    ) { bar.update(done: $0, of: $1) }
    bar.finish()
    if let ledger, report.isIntact { await LedgerReading.buildIndexes(of: ledger) }
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
      + (counts(of: report).map { "\(CountsText.text(of: $0))\(CountsText.span(of: $0) ?? "")\n" }
        ?? "")
  }

  /// Returns what is in an intact ledger; of a damaged one nothing is sure.
  private static func counts(of report: VerificationReport) -> LineCounts? {
    report.isIntact ? report.counts : nil
  }
}

/// Counts what is in the ledger: the former `ledger stats`.
struct LedgerStatsCommand: Command {
  static let spec = CommandSpec(former: "ledger stats")

  private static let output = JSONMembers<LedgerContents> {
    $0.add("records", \.counts.total)
    $0.include(\.counts, as: JSONMembers(CountsText.list))
    $0.add("head", \.head)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let contents = try await LedgerContents.read(
      LedgerReading.open(context.configuration().directory))
    let counts = contents.counts
    context.report(contents, as: output) {
      let span = CountsText.span(of: counts).map { "\($0), " } ?? ""
      return "\(CountsText.text(of: counts))\(span)head \(contents.head)\n"
    }
    return .done
  }
}

/// Builds indexes of the ledger: the former `ledger index`.
struct LedgerIndexCommand: Command {
  static let spec = CommandSpec(former: "ledger index")

  private static let output = JSONMembers<Int> {
    $0.add("made") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let made = try await LedgerReading.makeIndexes(
      of: LedgerReading.open(context.configuration().directory))
    context.report(made, as: output) {
      "\(made) \(made == 1 ? "index" : "indexes") made\n"
    }
    return .done
  }
}
