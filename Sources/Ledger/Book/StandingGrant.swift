public import CivilTime
public import RewardRules

/// What stands under one key of an open day, adjustments added up.
public struct StandingGrant: Sendable, Equatable {
  /// The key's text.
  public let text: String
  /// The key, nil for grants by hand and waivers.
  public let key: RewardKey?
  /// The day to whose limits it counts.
  public internal(set) var day: Day
  /// When it takes effect.
  public var effective: Instant
  /// What the user has by it.
  public var net: Reward
  /// How many adjustments stand behind it.
  public var adjustments = 0
  /// Whether a reversal has taken it back.
  public var isReversed = false
  /// The plan by which it was taken back, nil for none.
  public var reversedBy: String?
  /// The evidence that demanded it last, 0 for none.
  public var evidence: UInt64 = 0
  /// The streak after the day, for `login`.
  public var streak: StreakMark?

  /// Whether it is a level's reward of which nothing is left: when the level is reached again, whatever day that is, its key
  /// is adjusted.
  var isDormant: Bool {
    guard case .level = key else { return false }
    return adjustments > 0 && !net.isSomething
  }

  /// What the key is when no rule demands it.
  public var handKey: HandKey? { key == nil ? HandKey(text: text) : nil }

  /// Whether a plan let the user keep it.
  public var isWaived: Bool { if case .waived = handKey { true } else { false } }

  /// Whether a person gave it by hand.
  var isManual: Bool { if case .manual = handKey { true } else { false } }

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
