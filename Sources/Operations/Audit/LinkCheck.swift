import AuditPage
import Ledger
import RewardRules

/// Checks that adjustments and reversals refer to earlier grants, in order, and reverse only what stands. Reports the findings of
/// ``ActCheck`` with its own.
struct LinkCheck: AuditCheck {
  static let id = 9
  static let name = "adjustments, reversals and acts"

  private(set) var list: FindingList
  private(set) var examined = 0
  private(set) var note: String?

  init(list: FindingList) { self.list = list }

  /// Examines a record; `state` is the state before it and keeps the user's past.
  mutating func add(_ record: Record, before state: LedgerState) {
    guard Self.isLink(record.body) else { return }
    add(1)
    if let finding = Self.finding(record, before: state) { list.add(finding) }
  }

  /// Adds `right` links that were proved right elsewhere.
  mutating func add(_ right: Int) { examined += right }

  /// Adds the findings on acts.
  mutating func add(_ acts: ActCheck) {
    list.merge(acts.list)
    examined += acts.examined
    note = acts.note
  }

  /// Whether a record refers to an earlier grant.
  static func isLink(_ body: RecordBody) -> Bool {
    switch body {
    case .grant(let grant): grant.isAdjustment
    case .reversal: true
    default: false
    }
  }

  /// Returns a finding when a record refers wrongly to an earlier grant.
  static func finding(_ record: Record, before state: LedgerState) -> AuditReport.Finding? {
    switch record.body {
    case .grant(let grant):
      guard let number = grant.adjustment,
        let problem = problem(of: grant, number, state.standing(grant.baseKey, of: grant.user))
      else { return nil }
      return AuditReport.Finding(
        problem, seq: record.seq, key: grant.key, user: grant.user, day: grant.day)
    case .reversal(let reversal):
      return problem(of: reversal, state.standing(reversal.key, of: reversal.user)).map {
        AuditReport.Finding($0, seq: record.seq, key: reversal.key, user: reversal.user)
      }
    default: return nil
    }
  }

  mutating func merge(_ other: LinkCheck) {
    list.merge(other.list)
    examined += other.examined
  }

  private static func problem(
    of grant: GrantRecord, _ adjustment: Int, _ standing: StandingGrant?
  ) -> String? {
    guard let standing else { return "an adjustment of a key that was never granted" }
    var after = standing
    after.add(grant)
    let left = after.net
    if grant.isVoid, !left.amounts.isZero {
      return "the key is void, but \(left.amounts.text) remain under it"
    }
    if let exp = left.multipliedBase, exp != left.exp {
      return "it leaves \(left.exp) exp, but \(left.baseExp) × \(left.multiplier) is \(exp)"
    }
    if let item = grant.removedItems.first(where: { !standing.net.items.contains($0) }) {
      return "it takes \(item) back, which does not stand under the key"
    }
    if adjustment == standing.adjustments + 1 { return nil }
    return "adjustment \(adjustment) of its key follows adjustment \(standing.adjustments)"
  }

  private static func problem(of reversal: ReversalRecord, _ standing: StandingGrant?) -> String? {
    guard let standing else { return "a reversal of something never granted" }
    if standing.isReversed != reversal.undone { return "a reversal that is made or undone twice" }
    let right = ReversalRecord(
      of: standing, user: reversal.user, undone: reversal.undone, reason: "", actor: "")
    if reversal.reward == right.reward && reversal.removedItems == right.removedItems { return nil }
    return
      "a reversal of \(reversal.reward.amounts.text), but \(right.reward.amounts.text) stand under the key"
  }
}
