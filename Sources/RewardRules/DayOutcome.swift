public import CivilTime

/// The result of the rules for one user's day.
public struct DayOutcome: Sendable {
  /// The effect of a day on the streak.
  public enum StreakClass: String, Sendable {
    /// Some listed kind is met.
    case counted
    /// Every listed kind is known not to have happened.
    case missed
    /// Closed without being known, or shortened by a zone change.
    case held
    /// Excused by an operator.
    case excused
    /// The day is still open, and any outcome is possible.
    case pending
  }

  /// A level reached.
  public struct LevelReached: Sendable, Equatable {
    /// The level, 2 or more.
    public let level: Int32
    /// The effective time of the grant or credit that lifted it.
    public let effective: Instant

    /// Creates a level reached at an instant.
    public init(level: Int32, effective: Instant) {
      self.level = level
      self.effective = effective
    }
  }

  /// The day.
  public var day: Day
  /// The effect of the day on the streak.
  public var streakClass: StreakClass
  /// The streak before the day; equal to ``streakAfter`` while this day or an earlier one is pending.
  public var streakBefore: StreakState
  /// The streak after the day.
  public var streakAfter: StreakState
  /// Whether a sum passed 64 bits and stopped there. The account is then wrong and needs attention.
  public var isSaturated: Bool
  /// The grants that the ledger should hold, in the order of grants.
  public var grants: [GrantIntent]
  /// The grants beyond a limit, which wait for a release.
  public var heldBack: [GrantIntent]
  /// The levels reached, in order.
  public var levels: [LevelReached]

  /// Creates an outcome.
  public init(
    day: Day, streakClass: StreakClass, streakBefore: StreakState, streakAfter: StreakState,
    isSaturated: Bool = false, grants: [GrantIntent] = [], heldBack: [GrantIntent] = [],
    levels: [LevelReached] = []
  ) {
    self.day = day
    self.streakClass = streakClass
    self.streakBefore = streakBefore
    self.streakAfter = streakAfter
    self.isSaturated = isSaturated
    self.grants = grants
    self.heldBack = heldBack
    self.levels = levels
  }
}
