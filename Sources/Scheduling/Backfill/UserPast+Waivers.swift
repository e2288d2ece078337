public import Ledger
import RewardRules

extension UserPast {
  /// What giving `grants` back takes from the waivers that kept the user from falling below zero when plans took them:
  /// adjustments of those waivers, by the plan `plan`.
  public func waiversReturned(for grants: [StandingGrant], plan: String) -> [GrantRecord] {
    let byPlan = Dictionary(grouping: grants.filter { $0.reversedBy != nil }) {
      $0.reversedBy ?? ""
    }
    return byPlan.sorted { $0.key < $1.key }.compactMap { taker, grants in
      let key = HandKey.waived(plan: taker).text(user: account.id)
      guard let waiver = reopened.grants.first(where: { $0.text == key }), !waiver.isReversed else {
        return nil
      }
      func returned(_ unit: (Reward) -> Int64) -> Int64 {
        -min(unit(waiver.net), grants.reduce(0) { $0 + unit($1.net) })
      }
      var reward = Reward()
      reward.points = returned(\.points)
      reward.baseExp = returned(\.exp)
      reward.exp = reward.baseExp
      reward.coins = returned(\.coins)
      guard reward.isSomething else { return nil }
      return GrantRecord(
        key: "\(key)#\(waiver.adjustments + 1)", user: account.id, day: waiver.day,
        mission: "waived", effective: waiver.effective, rules: "", reward: reward, evidence: [],
        cause: "backfill:\(plan)")
    }
  }
}
