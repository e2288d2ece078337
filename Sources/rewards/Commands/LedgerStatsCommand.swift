import CivilTime
import Digests
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
    let directory = DataDirectory(try context.configuration().data)
    let statistics = try await LedgerContents.read(directory)
    context.report {
      text(of: statistics)
    } json: { json in
      write(statistics, to: &json)
    }
    return .done
  }

  private static func text(of statistics: LedgerContents) -> String {
    var table = TextTable(["WHAT", "COUNT"], [.left, .right])
    for (type, count) in statistics.records.sorted(by: { $0.key < $1.key }) {
      table.add([type, "\(count)"])
    }
    for (mission, count) in statistics.grants.sorted(by: { $0.key < $1.key }) {
      table.add(["grants for \(mission)", "\(count)"])
    }
    table.add(["points", "\(statistics.points)"])
    table.add(["exp", "\(statistics.exp)"])
    let span = statistics.span.map { "from \($0.first) to \($0.last), " } ?? ""
    return table.text + "\(span)head \(statistics.head)\n"
  }

  private static func write(_ statistics: LedgerContents, to json: inout JSONWriter) {
    json.member("records", statistics.recordCount)
    json.object("types") { json in
      for (type, count) in statistics.records.sorted(by: { $0.key < $1.key }) {
        json.member(type, count)
      }
    }
    json.object("grants") { json in
      for (mission, count) in statistics.grants.sorted(by: { $0.key < $1.key }) {
        json.member(mission, count)
      }
    }
    json.member("points", statistics.points)
    json.member("exp", statistics.exp)
    json.member("first", statistics.span?.first.description)
    json.member("last", statistics.span?.last.description)
    json.object("head") { json in
      json.member("seq", statistics.head.seq)
      json.member("hash", statistics.head.hash.description)
    }
  }
}
