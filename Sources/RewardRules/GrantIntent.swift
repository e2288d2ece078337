public import CivilTime

/// A grant that the rules demand: what should stand in the ledger under its key.
public struct GrantIntent: Hashable, Sendable {
  /// The key.
  public var key: RewardKey
  /// The day to whose limits it counts; for a level, the day of the grant that lifted it.
  public var day: Day
  /// The first instant of the evidence within the day; see the spec's order of grants.
  public var effective: Instant
  /// What the user receives.
  public var reward: Reward
  /// Sequence number of the evidence, a provisional one until that is recorded; nil for a level that a credit lifted.
  public var evidence: UInt64?
  /// The streak after this day: for `login` only.
  public var streak: StreakState?

  /// Creates an intent.
  public init(
    key: RewardKey, day: Day, effective: Instant, reward: Reward, evidence: UInt64?,
    streak: StreakState? = nil
  ) {
    self.key = key
    self.day = day
    self.effective = effective
    self.reward = reward
    self.evidence = evidence
    self.streak = streak
  }
}
