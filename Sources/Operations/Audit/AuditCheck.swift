import AuditPage
import Ledger

/// A check that examines the records of some users, or those about no user, once and in order.
///
/// Checks of different users are merged before they conclude.
protocol AuditCheck: Sendable {
  /// The check's number and name.
  static var id: Int { get }
  static var name: String { get }
  /// The findings so far.
  var list: FindingList { get }
  /// The number of things examined.
  var examined: Int { get }
  /// A remark for the report, complete once everything was examined; nil for none.
  var note: String? { get }
  /// Adds the results of the same check on other users.
  mutating func merge(_ other: Self)
  /// Evaluates the whole, once everything was examined.
  mutating func conclude()
}

extension AuditCheck {
  mutating func conclude() {}
  var note: String? { nil }

  /// Returns the check's part of the report.
  func concluded() -> AuditReport.Check {
    var check = self
    check.conclude()
    var result = AuditReport.Check(Self.id, Self.name, examined: check.examined, check.list)
    result.note = check.note
    return result
  }
}

extension [String?] {
  /// The texts that are not nil, on one line; nil when there are none.
  var listed: String? {
    let notes = compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }
}
