public import CivilTime
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
  /// What a change of closed days leaves besides the sums; on its last record only.
  public var settled: SettledChange?
  /// `live`, `reconcile`, `backfill:ID` or `manual`.
  public var cause: String

  /// The record with these fields.
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
}
