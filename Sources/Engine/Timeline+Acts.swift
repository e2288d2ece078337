package import Ledger
import RewardRules

extension Timeline {
  /// Returns the timeline after `acts`: reversals, releases, or the adjustments of waivers that undoing causes.
  func assuming(_ acts: [RecordBody]) -> Timeline {
    if acts.isEmpty { return self }
    var (account, history) = (account, history)
    let fold = RecordFold(seq: 0, rules)
    for act in acts { fold.apply(act, to: &account, &history) }
    return Timeline(
      account: account, history: history, openWindows: openWindows, looks: looks,
      inboxThrough: inboxThrough, excuses: excuses, rules: rules, terms: terms)
  }

  /// Returns whether the ledger already holds what an act would record.
  package func holds(_ act: RecordBody) -> Bool {
    switch act {
    case .reversal(let reversal):
      grants.contains { $0.text == reversal.key && $0.isReversed != reversal.undone }
    case .operator(let act) where act.act == .release:
      RewardKey(text: act.subject).map(account.released.contains) ?? false
    case .grant(let grant): holds(grant)
    default: true
    }
  }

  private func holds(_ grant: GrantRecord) -> Bool {
    guard let standing = grants.first(where: { $0.text == grant.baseKey }) else { return false }
    guard let number = grant.adjustment else { return true }
    return number > 0 && standing.adjustments >= number
  }

  /// Returns adjustments, by the plan `plan`, of the waivers that kept the user above zero when plans took `grants`.
  /// Giving the grants back takes the same amounts out of those waivers.
  package func waiversReturned(for grants: [StandingGrant], plan: String) -> [GrantRecord] {
    let byPlan = Dictionary(grouping: grants.filter { $0.reversedBy != nil }) {
      $0.reversedBy ?? ""
    }
    return byPlan.sorted { $0.key < $1.key }.compactMap { taker, grants in
      let key = HandKey.waived(plan: taker).text(user: account.id)
      guard let waiver = self.grants.first(where: { $0.text == key }), !waiver.isReversed else {
        return nil
      }
      let given = grants.reduce(Amounts()) { $0 + $1.net.amounts }
      var reward = Reward()
      reward.amounts = Amounts { -min(waiver.net.amounts[$0], given[$0]) }
      reward.baseExp = reward.exp
      guard reward.isSomething else { return nil }
      return GrantRecord(
        key: "\(key)#\(waiver.adjustments + 1)", user: account.id, day: waiver.day,
        mission: OtherMission.waived.rawValue, effective: waiver.effective, rules: "",
        reward: reward, evidence: [],
        cause: GrantRecord.cause(ofPlan: plan))
    }
  }
}
