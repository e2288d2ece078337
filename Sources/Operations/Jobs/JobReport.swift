public import AuditReport
import Ledger

/// What a job's run did.
public enum JobReport: Sendable {
  /// It reconciled.
  case reconciled(ReconcileReport)
  /// It audited.
  case audited(AuditReport)
  /// It worked out whom nobody could see.
  case proposed(HiddenDays)

  /// Whether somebody should look at this.
  public var needsAttention: Bool {
    switch self {
    case .reconciled(let report): report.needsAttention
    case .audited(let report): report.needsAttention
    case .proposed(let hidden): !hidden.days.isEmpty
    }
  }

  /// What the run's record counts.
  var counts: [RunCount] {
    switch self {
    case .reconciled: []
    case .audited(let report):
      [
        RunCount(name: "checks", value: Int64(report.checks.count)),
        RunCount(name: "findings", value: Int64(report.checks.reduce(0) { $0 + $1.found })),
      ]
    case .proposed(let hidden):
      [
        RunCount(name: "days", value: Int64(hidden.days.count)),
        RunCount(name: "users", value: Int64(Set(hidden.days.flatMap(\.users)).count)),
      ]
    }
  }
}
