public import Engine
import Ledger
import RewardRules

/// All that hangs on a set of grants: what taking them back brings about.
public struct Impact: Sendable {
  /// Users whom it concerns.
  public let users: Int
  /// The grants themselves.
  public let direct: RecordTotals
  /// What follows from their being gone: level rewards, doubled exp, draws.
  public let following: RecordTotals
  /// Level rewards among all of these.
  public let levels: Int
  /// Users whose boosters or items change.
  public let changedHoldings: Int
  /// Items that users lose.
  public let items: Int
  /// Users who would fall below zero and keep the difference.
  public let spared: Int
  /// What goes of days that are not closed besides the grants themselves: they follow when this is done.
  public let openDays: OpenDaySums
  /// How many of the grants each sink has been told of.
  public internal(set) var told: [(sink: String, grants: Int)] = []

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
      if case .grant(let grant) = body { grant.mission == "waived" } else { false }
    }
  }
}
