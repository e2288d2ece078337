import AuditPage
import Foundations
import Ledger
import LedgerStore

/// Reads the ledger lines that findings are about.
enum FindingRecords {
  /// The maximum number of lines shown; with more findings, readers look at the first ones.
  private static let limit = 1_000

  /// Returns the first lines by number, without their `\n`.
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
  /// Whether the check could be made.
  fileprivate var wasMade: Bool { leftOut == nil }
}
