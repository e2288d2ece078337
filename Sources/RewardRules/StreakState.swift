public import CivilTime

/// A user's login streak.
public struct StreakState: Hashable, Sendable {
  /// The number of counted days in a row. Held and excused days neither add nor break.
  public var length: Int32 = 0
  /// The cycle day of the last counted day, from 1; 0 if there is none.
  public var cycleDay: Int32 = 0
  /// The longest streak ever.
  public var longest: Int32 = 0
  /// The last counted day.
  public var lastDay: Day?

  /// Creates an empty streak.
  public init() {}

  /// Returns the streak after one more counted day, under rules with `cycleLength` cycle days.
  ///
  /// The first cycle day follows the last. It also follows a cycle day beyond `cycleLength`, left over from other rules.
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

/// A streak's length and cycle day after a day.
public struct StreakMark: Hashable, Sendable {
  /// The number of counted days in a row.
  public var length: Int32
  /// The cycle day, from 1; 0 if there is none.
  public var cycleDay: Int32

  /// Creates a mark.
  public init(length: Int32, cycleDay: Int32) {
    self.length = length
    self.cycleDay = cycleDay
  }

  /// Creates the recorded part of a streak.
  public init(_ state: StreakState) { self.init(length: state.length, cycleDay: state.cycleDay) }
}
