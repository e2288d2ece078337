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
    "ledger verify", "check sequence and seals of the whole ledger, and count its records",
    details: """
      It changes nothing in the ledger. If the ledger is intact, it counts records, grants
      and points, and builds missing indexes in state/index, which make reading one user's
      records fast.

      It compares the last seal with the heads kept beside the ledger, in snapshots and the
      cursors of the sinks, and with --head and --heads: nothing else shows that records were
      cut off the end, or that all of it was sealed anew.
      """,
    options: HeadArgument.options,
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
      text(of: report, context.style)
    }
    return report.isIntact ? .done : .attention
  }

  private static func text(of report: VerificationReport, _ style: TextStyle) -> String {
    let damage = report.damage.map { "\($0)\n" }.joined()
    let verdict =
      report.isIntact
      ? "the ledger is intact"
      : "\(Counted.text(report.damage.count, "place is", "places are")) damaged"
    let remedy =
      report.isIntact
      ? ""
      : "Try: keep the folder as it is, put a backup into another one (rewards ledger restore DIR), and compare\n"
    return
      "\(damage)\(verdict): \(Counted.text(report.records, "record")), head \(report.head)\n\(remedy)"
      + (counts(of: report).map {
        "\(CountsText.text(of: $0, style))\(CountsText.span(of: $0) ?? "")\n"
      }
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
      return "\(CountsText.text(of: counts, context.style))\(span)head \(contents.head)\n"
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
      "\(Counted.text(made, "index", "indexes")) made\n"
    }
    return .done
  }
}
