package import AuditPage
import Ledger

/// The result of a job's run.
package enum JobReport: Sendable {
  /// The job reconciled.
  case reconciled(ReconcileReport)
  /// The job audited.
  case audited(AuditReport)
  /// The job worked out which users' days are unknown.
  case proposed(HiddenDays)
  /// The job ran a command or a program.
  case ran(CommandResult)

  /// Whether it needs attention.
  package var needsAttention: Bool {
    switch self {
    case .reconciled(let report): report.needsAttention
    case .audited(let report): report.needsAttention
    case .proposed(let hidden): !hidden.days.isEmpty
    case .ran(let outcome): outcome.exitCode != 0
    }
  }

  /// The outcome in the run's record.
  var outcome: String {
    if case .ran(let outcome) = self, outcome.exitCode > 1 { return "failed" }
    return needsAttention ? "attention" : "done"
  }

  /// The reason for a failure in the run's record; nil without one.
  var failure: String? {
    guard case .ran(let outcome) = self, outcome.exitCode > 1 else { return nil }
    let said = outcome.errors.isEmpty ? outcome.output : outcome.errors
    let line = said.split(separator: 0x0A).first.map { String(decoding: $0, as: UTF8.self) }
    return "ended with \(outcome.exitCode)" + (line.map { ": \($0.prefix(500))" } ?? "")
  }

  /// The counts in the run's record.
  var counts: [RunCount] {
    switch self {
    case .reconciled: []
    case .ran(let outcome): [RunCount(name: "exit", value: Int64(outcome.exitCode))]
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
