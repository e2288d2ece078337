import AuditReport
import Ledger
import RewardRules

/// Checks that adjustments and reversals refer to what was granted, in order, and take back what stands.
struct LinkCheck: AuditCheck {
  static let id = 9
  static let name = "adjustments and reversals linked and consistent"

  private(set) var list: FindingList
  private(set) var examined = 0

  init(list: FindingList) { self.list = list }

  /// Looks at a record; `state` stands before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .grant(let grant):
      guard let number = grant.adjustment else { return }
      examined += 1
      guard let standing = state.standing(grant.baseKey, of: grant.user) else {
        return note("an adjustment of a key that was never granted", record, grant)
      }
      if number != standing.adjustments + 1 {
        note(
          "adjustment \(number) of its key follows adjustment \(standing.adjustments)", record,
          grant)
      }
    case .reversal(let reversal):
      examined += 1
      if let problem = problem(of: reversal, state.standing(reversal.key, of: reversal.user)) {
        list.add(
          AuditReport.Finding(
            problem, seq: record.seq, key: reversal.key, user: reversal.user))
      }
    default: break
    }
  }

  mutating func merge(_ other: LinkCheck) {
    list.merge(other.list)
    examined += other.examined
  }

  private func problem(of reversal: ReversalRecord, _ standing: StandingGrant?) -> String? {
    guard let standing else { return "a reversal of what was never granted" }
    if standing.isReversed != reversal.undone { return "a reversal that is undone or made twice" }
    let right = ReversalRecord(
      of: standing, user: reversal.user, undone: reversal.undone, reason: "", actor: "")
    if reversal.reward == right.reward && reversal.removedItems == right.removedItems { return nil }
    return "a reversal of \(reversal.reward.points) points and \(reversal.reward.exp) exp, where "
      + "\(right.reward.points) and \(right.reward.exp) stand"
  }

  private mutating func note(_ text: String, _ record: Record, _ grant: GrantRecord) {
    list.add(
      AuditReport.Finding(
        text, seq: record.seq, key: grant.key, user: grant.user, day: grant.day))
  }
}
