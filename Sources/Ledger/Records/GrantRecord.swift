public import CivilTime
public import Described
public import RewardRules

/// The record of what a user receives under a key.
public struct GrantRecord: Sendable, Equatable {
  /// The key; for an adjustment, the adjusted key and `#n`.
  public var key: String
  /// The user's id.
  public var user: String
  /// The day whose limits it counts towards.
  public var day: Day
  /// The mission's name, `login`, `level`, `waived` or `manual`.
  public var mission: String
  /// When it takes effect.
  public var effective: Instant
  /// The version of the rules that required it.
  public var rules: String
  /// What is given. The amounts of an adjustment may be negative.
  public var reward: Reward
  /// Items that an adjustment takes back.
  public var removedItems: [String]
  /// Whether the key is no longer required; only for an adjustment.
  public var isVoid: Bool
  /// The sequence numbers of the evidence.
  public var evidence: [UInt64]
  /// The streak's length and cycle day; only for `login`.
  public var streak: StreakMark?
  /// The state the plan leaves; only on the last record of the user's part.
  public var settled: SettledChange?
  /// The cause: `live`, `reconcile`, `backfill:ID` or `manual`.
  public var cause: String
  /// The line of the act behind it, an `operator` record; only of grants by hand and of plans.
  public var by: UInt64?

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

  /// Returns whether it is for no kind of activity, but for `mission`.
  public func isFor(_ mission: OtherMission) -> Bool { self.mission == mission.rawValue }

  /// The key or, for an adjustment, the key it adjusts.
  public var baseKey: String { hash.map { String(key[..<$0]) } ?? key }
  /// The number of an adjustment, 0 if the key states none; nil for a first grant.
  public var adjustment: Int? { hash.map { Int(key[key.index(after: $0)...]) ?? 0 } }
  /// Whether it adjusts an earlier grant.
  public var isAdjustment: Bool { hash != nil }

  /// Returns the `cause` of grants from the plan with this id.
  public static func cause(ofPlan id: String) -> String { planPrefix + id }
  /// Whether it comes from a plan.
  public var isPlanned: Bool { cause.utf8.starts(with: Self.planPrefix.utf8) }
  private static let planPrefix = "backfill:"

  // Searches bytes in place, because this runs several times for every grant of a ledger.
  private var hash: String.Index? {
    let number = UInt8(ascii: "#")
    guard key.utf8.withContiguousStorageIfAvailable({ $0.contains(number) }) ?? true else {
      return nil
    }
    return key.utf8.lastIndex(of: number)
  }
}

extension GrantRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    mission = try coder.field("mission", value?.pointee.mission)
    effective = try coder.field("effective", value?.pointee.effective)
    rules = try coder.field("rules", value?.pointee.rules)
    reward = try Reward(fields: &coder, value?.pointer(to: \.reward))
    removedItems = try coder.field("removedItems", value?.pointee.removedItems, unless: [])
    isVoid = try coder.field("void", value?.pointee.isVoid, unless: false)
    reward.booster = try coder.nullable("booster", value?.pointee.reward.booster)
    evidence = try coder.field("evidence", value?.pointee.evidence)
    streak = try coder.optional("streak", value?.pointee.streak)
    settled = try coder.optional("settled", value?.pointee.settled)
    cause = try coder.field("cause", value?.pointee.cause)
    by = try coder.optional("by", value?.pointee.by)
  }
}

extension BoosterWindow: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      from: try coder.field("from", value?.pointee.from),
      until: try coder.field("until", value?.pointee.until))
  }
}
