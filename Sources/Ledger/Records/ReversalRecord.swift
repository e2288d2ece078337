public import RewardRules

/// Takes a grant back, or undoes that.
///
/// The sums of a user's `grant` and `reversal` records are what the user has of this ledger.
public struct ReversalRecord: Sendable, Equatable {
  /// The key of the grant.
  public var key: String
  /// The user's id.
  public var user: String
  /// Whether this undoes an earlier reversal.
  public var undone: Bool
  /// What it changes: all that stood under the key, negative; or what stands again.
  public var reward: Reward
  /// Items that are taken back.
  public var removedItems: [String]
  /// What a change of closed days leaves besides the sums.
  public var settled: SettledChange?
  /// The plan of which it is a part: what that waived goes when this is undone.
  public var plan: String?
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// The record with these fields.
  public init(
    key: String, user: String, undone: Bool = false, reward: Reward = Reward(),
    removedItems: [String] = [], settled: SettledChange? = nil, plan: String? = nil, reason: String,
    actor: String
  ) {
    self.key = key
    self.user = user
    self.undone = undone
    self.reward = reward
    self.removedItems = removedItems
    self.settled = settled
    self.plan = plan
    self.reason = reason
    self.actor = actor
  }
}

extension ReversalRecord {
  /// Takes back what stands under a key, or gives it back.
  public init(
    of grant: StandingGrant, user: String, undone: Bool, plan: String? = nil, reason: String,
    actor: String
  ) {
    self.init(key: grant.text, user: user, undone: undone, plan: plan, reason: reason, actor: actor)
    let sign: Int64 = undone ? 1 : -1
    reward.points = sign * grant.net.points
    reward.exp = sign * grant.net.exp
    reward.coins = sign * grant.net.coins
    if undone { reward.items = grant.net.items } else { removedItems = grant.net.items }
  }
}
