public import CivilTime
public import RewardRules
internal import StrictJSON

/// What a user receives under a key.
public struct GrantRecord: Sendable, Equatable {
  /// The key; of an adjustment, the adjusted key and `#n`.
  public var key = ""
  /// The user's id.
  public var user = ""
  /// The day to whose limits it counts.
  public var day = Day(number: 0)
  /// The mission's name, `login`, `level`, `waived` or `manual`.
  public var mission = ""
  /// When it takes effect.
  public var effective = Instant.earliest
  /// The version of the rules that demanded it.
  public var rules = ""
  /// What is given; an adjustment's amounts may be negative.
  public var reward = Reward()
  /// Items that an adjustment takes back.
  public var removedItems: [String] = []
  /// Of an adjustment: whether nothing is demanded under the key any more.
  public var isVoid = false
  /// Sequence numbers of the evidence.
  public var evidence: [UInt64] = []
  /// Length and cycle day, for `login`.
  public var streak: StreakMark?
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?
  /// `live`, `reconcile`, `backfill:ID` or `manual`.
  public var cause = ""

  init() {}

  /// The record of a grant or an adjustment.
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

  /// The cause of what the plan of this id brings.
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

extension GrantRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("key", &key)
    try coder.field("user", &user)
    try coder.field("day", &day)
    try coder.field("mission", &mission)
    try coder.field("effective", &effective)
    try coder.field("rules", &rules)
    try coder.field("points", &reward.points)
    try coder.field("expBase", &reward.baseExp)
    try coder.field("multiplier", &reward.multiplier)
    try coder.field("exp", &reward.exp)
    try coder.field("coins", &reward.coins)
    try coder.field("items", &reward.items)
    try coder.field("removedItems", &removedItems, unless: [])
    try coder.field("void", &isVoid, unless: false)
    try coder.nullable("booster", &reward.booster)
    try coder.field("evidence", &evidence)
    try coder.field("streak", &streak)
    try coder.field("settled", &settled)
    try coder.field("cause", &cause)
  }
}

extension BoosterWindow: LineObject {
  static let names = fieldNames(of: Self.self)

  init() { self.init(from: .earliest, until: .earliest) }

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (from, until) = (from, until)
    try coder.field("from", &from)
    try coder.field("until", &until)
    self = BoosterWindow(from: from, until: until)
  }
}

/// Takes a grant back, or undoes that.
///
/// The sums of a user's `grant` and `reversal` records are what the user has of this ledger.
public struct ReversalRecord: Sendable, Equatable {
  /// The key of the grant.
  public var key = ""
  /// The user's id.
  public var user = ""
  /// Whether this undoes an earlier reversal.
  public var undone = false
  /// What it changes: all that stood under the key, negative; or what stands again.
  public var reward = Reward()
  /// Items that are taken back.
  public var removedItems: [String] = []
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?
  /// The plan of which it is a part: what that waived goes when this is undone.
  public var plan: String?
  /// Why.
  public var reason = ""
  /// Who.
  public var actor = ""

  init() {}

  /// The record of a reversal.
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

extension ReversalRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("key", &key)
    try coder.field("user", &user)
    try coder.field("undone", &undone, unless: false)
    try coder.field("points", &reward.points, unless: 0)
    try coder.field("exp", &reward.exp, unless: 0)
    try coder.field("coins", &reward.coins, unless: 0)
    try coder.field("items", &reward.items, unless: [])
    try coder.field("removedItems", &removedItems, unless: [])
    try coder.field("settled", &settled)
    try coder.field("plan", &plan)
    try coder.field("reason", &reason)
    try coder.field("actor", &actor)
  }
}
