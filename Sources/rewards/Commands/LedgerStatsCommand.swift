import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Counts what is in the ledger.
struct LedgerStatsCommand: Command {
  static let spec = CommandSpec(
    "ledger stats", "records, grants and sums in the ledger",
    examples: [
      .init("rewards ledger stats", "how much there is of what"),
      .init("rewards ledger stats --format json", "for another program"),
    ])

  private static let output = JSONMembers<LedgerContents> {
    $0.add("records", \.counts.total)
    $0.map("types") { $0.counts.sortedTypes.map { ($0.0, $0.1) } }
    $0.add("grants", \.counts.grants)
    $0.add("points", \.counts.points)
    $0.add("exp", \.counts.exp)
    $0.add("reversedPoints", \.counts.reversedPoints)
    $0.add("reversedExp", \.counts.reversedExp)
    $0.add("first", \.counts.span?.first)
    $0.add("last", \.counts.span?.last)
    $0.add("head", \.head)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let directory = try context.configuration().directory
    let contents = try await LedgerContents.read(LedgerReading.open(directory))
    context.report(contents, as: output) {
      text(of: contents)
    }
    return .done
  }

  private static func text(of contents: LedgerContents) -> String {
    let counts = contents.counts
    var table = TextTable(["WHAT", "COUNT"], [.left, .right])
    for (type, count) in counts.sortedTypes {
      table.add([type, "\(count)"])
    }
    for (mission, count) in counts.grants.sorted(by: { $0.key < $1.key }) {
      table.add(["grants for \(mission)", "\(count)"])
    }
    table.add(["points granted", "\(counts.points)"])
    table.add(["points reversed", "\(counts.reversedPoints)"])
    table.add(["exp granted", "\(counts.exp)"])
    table.add(["exp reversed", "\(counts.reversedExp)"])
    let span = counts.span.map { "from \($0.first) to \($0.last), " } ?? ""
    return table.text + "\(span)head \(contents.head)\n"
  }
}
