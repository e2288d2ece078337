import CivilTime
import Configuration
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

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let directory = try context.configuration().directory
    let contents = try await LedgerContents.read(directory)
    context.report {
      text(of: contents)
    } json: { json in
      write(contents, to: &json)
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

  private static func write(_ contents: LedgerContents, to json: inout JSONWriter) {
    let counts = contents.counts
    json.member("records", counts.total)
    json.object("types") { json in
      for (type, count) in counts.sortedTypes {
        json.member(type, count)
      }
    }
    json.object("grants") { json in
      for (mission, count) in counts.grants.sorted(by: { $0.key < $1.key }) {
        json.member(mission, count)
      }
    }
    json.member("points", counts.points)
    json.member("exp", counts.exp)
    json.member("reversedPoints", counts.reversedPoints)
    json.member("reversedExp", counts.reversedExp)
    json.member("first", counts.span?.first.description)
    json.member("last", counts.span?.last.description)
    LedgerHeadCommand.write(contents.head, to: &json)
  }
}
