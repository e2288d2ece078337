/// An audit with what its page shows besides.
public struct AuditOutcome: Sendable {
  /// What was found.
  public let report: AuditReport
  /// What the ledger holds, counted.
  public let figures: AuditFigures
  /// The lines of the ledger that findings are about, by their number, without their `\n`; the first only.
  public let records: [UInt64: String]

  /// The page.
  public var page: AuditPage { AuditPage(report: report, figures: figures, records: records) }
}
