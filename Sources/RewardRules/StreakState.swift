public import CivilTime

/// A user's login streak.
public struct StreakState: Hashable, Sendable {
  /// Counted days in a row; held and excused days neither add nor break.
  public var length: Int32 = 0
  /// From 1 for the last counted day; 0 when there is none.
  public var cycleDay: Int32 = 0
  /// The longest length ever.
  public var longest: Int32 = 0
  /// The last counted day.
  public var lastDay: Day?

  /// No streak.
  public init() {}

  /// Returns the streak after one more counted day, by rules with so many cycle days.
  ///
  /// After the last cycle day the first one follows; so it does after one that other rules had and these have not.
  public func counting(_ day: Day, cycleLength: Int32) -> StreakState {
    var next = self
    next.length = length.addingReportingOverflow(1).overflow ? .max : length + 1
    next.cycleDay = cycleDay < cycleLength ? max(cycleDay, 0) + 1 : 1
    next.longest = max(longest, next.length)
    next.lastDay = day
    return next
  }

  /// Returns the streak after a missed day.
  public func broken() -> StreakState {
    var next = self
    next.length = 0
    next.cycleDay = 0
    return next
  }
}
