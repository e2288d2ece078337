import Ledger
import RewardRules
public import Scheduling

/// All that hangs on a set of grants: what taking them back brings about.
public struct BlastRadius: Sendable {
  /// Users whom it concerns.
  public let users: Int
  /// The grants themselves.
  public let direct: BackfillTotals
  /// What follows from their being gone: level rewards, doubled exp, draws.
  public let following: BackfillTotals
  /// Level rewards among all of these.
  public let levels: Int
  /// Users whose boosters or items change.
  public let settledUsers: Int
  /// Items that users lose.
  public let items: Int
  /// Users who would fall below zero and keep the difference.
  public let spared: Int
  /// How many of the grants each sink has been told of.
  public internal(set) var told: [(sink: String, grants: Int)] = []

  init(_ plan: BackfillPlan) {
    users = plan.users.count { !$0.records.isEmpty }
    let acts = plan.users.flatMap(\.acts)
    let rest = plan.users.flatMap { $0.records.dropFirst($0.acts.count) }
    direct = BackfillTotals(acts)
    following = BackfillTotals(rest)
    var keys: [String] = []
    var settled = 0
    var lost = 0
    for body in acts + rest {
      switch body {
      case .reversal(let reversal):
        keys.append(reversal.key)
        settled += reversal.settled == nil ? 0 : 1
        lost += reversal.removedItems.count
      case .grant(let grant):
        keys.append(grant.baseKey)
        settled += grant.settled == nil ? 0 : 1
        lost += grant.removedItems.count
      default: break
      }
    }
    levels = keys.count { if case .level = RewardKey(text: $0) { true } else { false } }
    settledUsers = settled
    items = lost
    spared = rest.count { body in
      if case .grant(let grant) = body { grant.mission == "waived" } else { false }
    }
  }
}
