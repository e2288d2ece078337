public import Described
public import RewardRules

/// The record that takes a grant back, or undoes that.
///
/// The sums of a user's `grant` and `reversal` records are what the user has received from this ledger.
public struct ReversalRecord: Sendable, Equatable {
  /// The key of the grant.
  public var key: String
  /// The user's id.
  public var user: String
  /// Whether it undoes an earlier reversal.
  public var undone: Bool
  /// The change: everything that stood under the key, negated, or what stands again.
  public var reward: Reward
  /// The items taken back.
  public var removedItems: [String]
  /// The state the plan leaves; only on the last record of the user's part.
  public var settled: SettledChange?
  /// The plan it belongs to. Undoing the reversal also takes back what that plan waived.
  public var plan: String?
  /// The reason given.
  public var reason: String
  /// The person who acted.
  public var actor: String
  /// The line of the act behind it, an `operator` record; nil in lines of earlier versions.
  public var by: UInt64?

  /// Creates the record of a reversal.
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

  /// Creates the reversal of a standing grant, or the undoing of one.
  public init(
    of grant: StandingGrant, user: String, undone: Bool, plan: String? = nil, reason: String,
    actor: String
  ) {
    self.init(key: grant.text, user: user, undone: undone, plan: plan, reason: reason, actor: actor)
    reward.amounts = undone ? grant.net.amounts : -grant.net.amounts
    if undone { reward.items = grant.net.items } else { removedItems = grant.net.items }
  }
}

extension ReversalRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    user = try coder.field("user", value?.pointee.user)
    undone = try coder.field("undone", value?.pointee.undone, unless: false)
    reward = Reward()
    reward.amounts = try Amounts(notZero: &coder, value?.pointer(to: \.reward.amounts))
    reward.items = try coder.field("items", value?.pointee.reward.items, unless: [])
    removedItems = try coder.field("removedItems", value?.pointee.removedItems, unless: [])
    settled = try coder.optional("settled", value?.pointee.settled)
    plan = try coder.optional("plan", value?.pointee.plan)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
    by = try coder.optional("by", value?.pointee.by)
  }
}
