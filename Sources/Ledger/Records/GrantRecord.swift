public import CivilTime
public import Described
public import RewardRules

/// What a user receives under a key.
public struct GrantRecord: Sendable, Equatable {
  /// The key; of an adjustment, the adjusted key and `#n`.
  public var key: String
  /// The user's id.
  public var user: String
  /// The day to whose limits it counts.
  public var day: Day
  /// The mission's name, `login`, `level`, `waived` or `manual`.
  public var mission: String
  /// When it takes effect.
  public var effective: Instant
  /// The version of the rules that demanded it.
  public var rules: String
  /// What is given; an adjustment's amounts may be negative.
  public var reward: Reward
  /// Items that an adjustment takes back.
  public var removedItems: [String]
  /// Of an adjustment: whether nothing is demanded under the key any more.
  public var isVoid: Bool
  /// Sequence numbers of the evidence.
  public var evidence: [UInt64]
  /// Length and cycle day, for `login`.
  public var streak: StreakMark?
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?
  /// `live`, `reconcile`, `backfill:ID` or `manual`.
  public var cause: String

  /// Creates the record of a grant or an adjustment.
  public init(
    key: String, user: String, day: Day, mission: String, effective: Instant, rules: String,
    reward: Reward, removedItems: [String] = [], isVoid: Bool = false, evidence: [UInt64],
    streak: StreakMark? = nil, settled: SettledChange? = nil, cause: String
  ) {
    self.key = key
    self.user = user
    self.day = day
    self.mission = mission
    self.effective = effective
    self.rules = rules
    self.reward = reward
    self.removedItems = removedItems
    self.isVoid = isVoid
    self.evidence = evidence
    self.streak = streak
    self.settled = settled
    self.cause = cause
  }

  /// The key, or of an adjustment the key that it adjusts.
  public var baseKey: String { hash.map { String(key[..<$0]) } ?? key }
  /// The number of an adjustment, 0 where the key tells none; nil for a first grant.
  public var adjustment: Int? { hash.map { Int(key[key.index(after: $0)...]) ?? 0 } }
  /// Whether it adjusts what was granted before.
  public var isAdjustment: Bool { hash != nil }

  /// Returns the cause of what the plan of this id brings.
  public static func cause(ofPlan id: String) -> String { planPrefix + id }
  /// Whether a plan has brought it.
  public var isPlanned: Bool { cause.utf8.starts(with: Self.planPrefix.utf8) }
  private static let planPrefix = "backfill:"

  // By bytes where they lie: every grant of a ledger is asked, several times.
  private var hash: String.Index? {
    let number = UInt8(ascii: "#")
    guard key.utf8.withContiguousStorageIfAvailable({ $0.contains(number) }) ?? true else {
      return nil
    }
    return key.utf8.lastIndex(of: number)
  }
}

extension GrantRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    mission = try coder.field("mission", value?.pointee.mission)
    effective = try coder.field("effective", value?.pointee.effective)
    rules = try coder.field("rules", value?.pointee.rules)
    reward = Reward()
    reward.points = try coder.field("points", value?.pointee.reward.points)
    reward.baseExp = try coder.field("expBase", value?.pointee.reward.baseExp)
    reward.multiplier = try coder.field("multiplier", value?.pointee.reward.multiplier)
    reward.exp = try coder.field("exp", value?.pointee.reward.exp)
    reward.coins = try coder.field("coins", value?.pointee.reward.coins)
    reward.items = try coder.field("items", value?.pointee.reward.items)
    removedItems = try coder.field("removedItems", value?.pointee.removedItems, unless: [])
    isVoid = try coder.field("void", value?.pointee.isVoid, unless: false)
    reward.booster = try coder.nullable("booster", value?.pointee.reward.booster)
    evidence = try coder.field("evidence", value?.pointee.evidence)
    streak = try coder.optional("streak", value?.pointee.streak)
    settled = try coder.optional("settled", value?.pointee.settled)
    cause = try coder.field("cause", value?.pointee.cause)
  }
}

extension BoosterWindow: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      from: try coder.field("from", value?.pointee.from),
      until: try coder.field("until", value?.pointee.until))
  }
}

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
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?
  /// The plan of which it is a part: what that waived goes when this is undone.
  public var plan: String?
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

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

  /// Takes back what stands under a key, or gives it back.
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
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    user = try coder.field("user", value?.pointee.user)
    undone = try coder.field("undone", value?.pointee.undone, unless: false)
    reward = Reward()
    reward.points = try coder.field("points", value?.pointee.reward.points, unless: 0)
    reward.exp = try coder.field("exp", value?.pointee.reward.exp, unless: 0)
    reward.coins = try coder.field("coins", value?.pointee.reward.coins, unless: 0)
    reward.items = try coder.field("items", value?.pointee.reward.items, unless: [])
    removedItems = try coder.field("removedItems", value?.pointee.removedItems, unless: [])
    settled = try coder.optional("settled", value?.pointee.settled)
    plan = try coder.optional("plan", value?.pointee.plan)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
  }
}
