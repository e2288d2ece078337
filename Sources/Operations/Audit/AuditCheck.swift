import AuditReport
import Ledger

/// A check that looks at the records of some users, or at those about no user, once and in order.
///
/// Checks of different users are merged before they conclude.
protocol AuditCheck: Sendable {
  /// Its number and name.
  static var id: Int { get }
  static var name: String { get }
  /// What was found so far.
  var list: FindingList { get }
  /// How many things were looked at.
  var examined: Int { get }
  /// What there is to know besides, nil for nothing; after everything was seen.
  var note: String? { get }
  /// Adds what the same check saw of other users.
  mutating func merge(_ other: Self)
  /// Looks at the whole, after everything was seen.
  mutating func conclude()
}

extension AuditCheck {
  mutating func conclude() {}
  var note: String? { nil }

  /// The check's part of the report.
  func concluded() -> AuditReport.Check {
    var check = self
    check.conclude()
    var result = AuditReport.Check(Self.id, Self.name, examined: check.examined, check.list)
    result.note = check.note
    return result
  }
}

extension [String?] {
  /// Those that there are, on one line; nil where there is none.
  var listed: String? {
    let notes = compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }
}
