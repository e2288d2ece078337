public import CivilTime

/// What the rules must know of a user before they judge a day.
public struct AccountState: Sendable, Equatable {
  /// 1 to 30.
  public var level: Int32 = 1
  /// Exp within the level; at level 30 it accumulates.
  public var exp: Int64 = 0
  /// One bit per level (bit N for level N) whose reward the user has received.
  public var rewardedLevels: UInt32 = 0
  /// Items as `CATEGORY/ITEM`, however they were got.
  public var owned: Set<String> = []
  /// When the last booster ends; nil when there never was one.
  public var boosterUntil: Instant?
  /// The streak before the day.
  public var streak = StreakState()
  /// Whether an earlier day is not decided yet, so that the cycle day of later days is not known.
  public var isStreakPending = false

  /// A user without a past.
  public init() {}
}
