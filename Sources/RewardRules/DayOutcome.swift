public import CivilTime

/// What the rules make of one day of one user.
public struct DayOutcome: Sendable {
  /// What a day does to the streak.
  public enum StreakClass: String, Sendable {
    /// Something that counts is met.
    case counted
    /// All that counts is known not to have happened.
    case missed
    /// Closed without being known, or shortened by a zone change.
    case held
    /// Declared by an operator.
    case excused
    /// The day is still open and may become anything.
    case pending
  }

  /// A level that was reached.
  public struct LevelReached: Sendable, Equatable {
    /// The level, 2 to 30.
    public let level: Int32
    /// The effective time of what lifted it.
    public let effective: Instant

    /// Creates a level reached at an instant.
    public init(level: Int32, effective: Instant) {
      self.level = level
      self.effective = effective
    }
  }

  /// The day.
  public var day: Day
  /// What the day does to the streak.
  public var streakClass: StreakClass
  /// The streak before and after; both are the same while ``isStreakPending``.
  public var streakBefore: StreakState
  /// The streak after the day.
  public var streakAfter: StreakState
  /// Whether this day or an earlier one is undecided, so that the streak stands still and a counted day has no `login`
  /// grant yet.
  public var isStreakPending: Bool
  /// Whether a sum passed 64 bits and stopped there: what the account holds is then wrong, and a person must look.
  public var isSaturated: Bool
  /// The grants that the ledger should hold, in the order of the spec.
  public var grants: [GrantIntent]
  /// Grants beyond a limit, which wait for a release.
  public var heldBack: [GrantIntent]
  /// Levels reached, in order.
  public var levels: [LevelReached]

  /// Creates an outcome.
  public init(
    day: Day, streakClass: StreakClass, streakBefore: StreakState, streakAfter: StreakState,
    isStreakPending: Bool = false, isSaturated: Bool = false, grants: [GrantIntent] = [],
    heldBack: [GrantIntent] = [], levels: [LevelReached] = []
  ) {
    self.day = day
    self.streakClass = streakClass
    self.streakBefore = streakBefore
    self.streakAfter = streakAfter
    self.isStreakPending = isStreakPending
    self.isSaturated = isSaturated
    self.grants = grants
    self.heldBack = heldBack
    self.levels = levels
  }
}
