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
  /// Adds what the same check saw of other users.
  mutating func merge(_ other: Self)
  /// Looks at the whole, after everything was seen.
  mutating func conclude()
}

extension AuditCheck {
  mutating func conclude() {}

  /// The check's part of the report.
  func concluded() -> AuditReport.Check {
    var check = self
    check.conclude()
    return AuditReport.Check(Self.id, Self.name, examined: check.examined, check.list)
  }
}
