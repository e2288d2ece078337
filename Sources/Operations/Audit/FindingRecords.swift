import AuditReport
import Files
import Ledger
import LedgerStore

/// Looks up the lines of the ledger that findings are about.
enum FindingRecords {
  /// More are not shown: whoever has so many findings looks at the first.
  private static let limit = 1_000

  /// The first lines by their number, without their `\n`.
  static func read(_ report: AuditReport, _ reader: LedgerReader) throws -> [UInt64: String] {
    let wanted = Set(report.checks.flatMap(\.findings).compactMap(\.seq).sorted().prefix(limit))
    guard let first = wanted.min(), let last = wanted.max(), report.checks.allSatisfy(\.wasMade)
    else { return [:] }
    var records: [UInt64: String] = [:]
    try reader.scanLines(after: first - 1) { seq, line in
      if wanted.contains(seq) { records[seq] = String(decoding: line.dropLast(), as: UTF8.self) }
      return seq < last ? .next : .stop
    }
    return records
  }
}

extension AuditReport.Check {
  /// Whether nothing kept it from being made.
  fileprivate var wasMade: Bool { leftOut == nil }
}
