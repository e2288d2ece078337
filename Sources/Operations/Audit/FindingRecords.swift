import AuditReport
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
    do {
      try reader.readLines(after: first - 1) { seq, line in
        if seq > last { throw Found() }
        if wanted.contains(seq) { records[seq] = String(decoding: line.dropLast(), as: UTF8.self) }
      }
    } catch is Found {}
    return records
  }

  /// All that was looked for is found.
  private struct Found: Error {}
}

extension AuditReport.Check {
  /// Whether nothing kept it from being made.
  fileprivate var wasMade: Bool { leftOut == nil }
}
