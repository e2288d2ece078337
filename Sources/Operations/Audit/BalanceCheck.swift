import AuditReport
import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling

/// Compares balances three ways: what another system believes, what the ledger says, and what evidence and rules give.
struct BalanceCheck: AuditCheck {
  static let id = 13
  static let name = "balances from outside"

  private(set) var list: FindingList
  var examined: Int { outside.count }
  private let outside: [OutsideBalance]
  private let lines: [String: [Int]]
  /// By how much the ledger falls short of what was worked out again, where it does.
  private var shortfalls: [String: RecordTotals] = [:]
  private var findings: [Int: [AuditReport.Finding]] = [:]

  /// One unit of one user, three ways.
  private struct Drift {
    let unit: String
    let outside: Int64
    let ledger: Int64
    let recomputed: Int64

    /// Who differs from whom; nil when all agree.
    var text: String? {
      if outside == ledger, ledger == recomputed { return nil }
      if ledger == recomputed {
        let difference =
          outside > ledger ? "\(outside - ledger) too many" : "\(ledger - outside) missing"
        return "outside has \(outside) \(unit), the ledger \(ledger): \(difference) outside"
      }
      let three =
        "outside has \(outside) \(unit), the ledger \(ledger), evidence and rules give \(recomputed)"
      if outside == recomputed { return "\(three): the ledger is wrong" }
      return outside == ledger
        ? "\(three): the ledger is wrong, and outside follows it" : "\(three): all three differ"
    }
  }

  init(list: FindingList, outside: [OutsideBalance]) {
    self.list = list
    self.outside = outside
    lines = Dictionary(grouping: outside.indices) { outside[$0].user }
  }

  /// Notes how far a user's ledger is from what was worked out again.
  mutating func note(_ shortfall: RecordTotals, of user: String) {
    if shortfall.records > 0, lines[user] != nil { shortfalls[user] = shortfall }
  }

  /// Compares those whom `state` knows.
  mutating func compare(_ state: LedgerState) {
    if outside.isEmpty { return }
    for account in state.accounts {
      for index in lines[account.id] ?? [] {
        guard let ours = state.balance(of: account.id) else { continue }
        let missing = shortfalls[account.id]?.amounts ?? Amounts()
        let caps = state.rules.caps(on: account.boundaryDay)
        findings[index] = drifts(outside[index], ours, missing: missing, caps: caps).compactMap {
          drift in
          drift.text.map { AuditReport.Finding($0, user: account.id) }
        }
      }
    }
  }

  mutating func merge(_ other: BalanceCheck) {
    findings.merge(other.findings) { first, _ in first }
  }

  mutating func conclude() {
    for (index, line) in outside.enumerated() {
      let stranger = AuditReport.Finding("the ledger does not know the user", user: line.user)
      for finding in findings[index] ?? [stranger] { list.add(finding) }
    }
  }

  private func drifts(
    _ outside: OutsideBalance, _ ours: Balance, missing: Amounts, caps: [Int64]
  ) -> [Drift] {
    var recomputed = AccountState()
    recomputed.level = ours.level
    recomputed.exp = ours.exp
    recomputed.apply(exp: missing.exp, caps: caps)
    return [
      outside.points.map {
        Drift(
          unit: "points", outside: $0, ledger: ours.points,
          recomputed: ours.points.addingSaturated(missing.points))
      },
      outside.exp.map {
        Drift(unit: "exp", outside: $0, ledger: ours.exp, recomputed: recomputed.exp)
      },
      outside.coins.map {
        Drift(
          unit: "coins", outside: $0, ledger: ours.coins,
          recomputed: ours.coins.addingSaturated(missing.coins))
      },
    ].compactMap(\.self)
  }
}
