public import CivilTime

/// A grant that the rules require: what the ledger should hold under its key.
public struct GrantIntent: Hashable, Sendable {
  /// The key.
  public var key: RewardKey
  /// The day whose limits it counts towards; for a level, the day of the grant that lifted it.
  public var day: Day
  /// The first instant of the evidence within the day; the order of grants depends on it (``RewardQueue``).
  public var effective: Instant
  /// What the user receives.
  public var reward: Reward
  /// The sequence number of the evidence, provisional until that is recorded; nil for a level lifted by a credit.
  public var evidence: UInt64?
  /// The streak after this day; only for `login`.
  public var streak: StreakMark?

  /// Creates an intent.
  public init(
    key: RewardKey, day: Day, effective: Instant, reward: Reward, evidence: UInt64?,
    streak: StreakMark? = nil
  ) {
    self.key = key
    self.day = day
    self.effective = effective
    self.reward = reward
    self.evidence = evidence
    self.streak = streak
  }
}
