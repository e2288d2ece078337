public import CivilTime
public import RewardRules

/// What stands under one key of an open day, adjustments added up.
public struct StandingGrant: Sendable, Equatable {
  /// The key's text.
  public let text: String
  /// The key, nil for grants by hand and waivers.
  public let key: RewardKey?
  /// The day to whose limits it counts.
  public let day: Day
  /// When it takes effect.
  public var effective: Instant
  /// What the user has by it.
  public var net: Reward
  /// How many adjustments stand behind it.
  public var adjustments = 0
  /// Whether a reversal has taken it back.
  public var isReversed = false
  /// The streak after the day, for `login`.
  public var streak: StreakMark?

  /// A first grant.
  public init(
    text: String, key: RewardKey?, day: Day, effective: Instant, net: Reward, streak: StreakMark?
  ) {
    self.text = text
    self.key = key
    self.day = day
    self.effective = effective
    self.net = net
    self.streak = streak
  }
}
