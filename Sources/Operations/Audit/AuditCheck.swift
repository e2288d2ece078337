import Ledger

/// A check that looks at every record once, in order.
protocol AuditCheck: Sendable {
  /// Its number and name.
  static var id: Int { get }
  static var name: String { get }
  /// What was found so far.
  var list: FindingList { get }
  /// How many things were looked at.
  var examined: Int { get }
  /// Looks at a record; `book` stands before it.
  mutating func take(_ record: Record, before book: Book)
  /// Looks at the whole; `book` stands at the end.
  mutating func finish(_ book: Book)
}

extension AuditCheck {
  mutating func finish(_ book: Book) {}

  /// The check's part of the report.
  var result: AuditReport.Check {
    AuditReport.Check(
      id: Self.id, name: Self.name, examined: examined, found: list.found, findings: list.first)
  }
}
