package import Engine
import Ledger
import RewardRules

/// The consequences of reversing a set of grants.
package struct Impact: Sendable {
  /// The number of users affected.
  package let users: Int
  /// The reversed grants themselves.
  package let direct: RecordTotals
  /// The knock-on changes: level rewards, doubled exp and draws.
  package let following: RecordTotals
  /// The number of level rewards in ``direct`` and ``following``.
  package let levels: Int
  /// The number of users whose boosters or items change.
  package let changedHoldings: Int
  /// The number of items that users lose.
  package let items: Int
  /// The number of users whose balance would fall below zero, so that the difference is waived.
  package let spared: Int
  /// The further losses on open days, which follow once the plan is applied.
  package let openDays: OpenDaySums
  /// How many of the grants have already been sent to each sink.
  package internal(set) var told: [(sink: String, grants: Int)] = []

  init(_ plan: BackfillPlan, _ parts: [UserPlan]) {
    users = plan.users.count { !$0.records.isEmpty }
    let acts = plan.users.flatMap(\.acts)
    let rest = plan.users.flatMap { $0.records.dropFirst($0.acts.count) }
    direct = RecordTotals(acts)
    following = RecordTotals(rest)
    var keys: [String] = []
    var lost = 0
    for body in acts + rest {
      switch body {
      case .reversal(let reversal):
        keys.append(reversal.key)
        lost += reversal.removedItems.count
      case .grant(let grant):
        keys.append(grant.baseKey)
        lost += grant.removedItems.count
      default: break
      }
    }
    levels = keys.count { if case .level = RewardKey(text: $0) { true } else { false } }
    changedHoldings = parts.count(where: \.changesHoldings)
    items = lost
    openDays = parts.compactMap(\.openDayLoss).reduce(into: OpenDaySums()) { $0.add($1) }
    spared = rest.count { body in
      if case .grant(let grant) = body { grant.isFor(.waived) } else { false }
    }
  }
}
