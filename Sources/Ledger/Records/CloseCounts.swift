/// How the days and missions of a close were judged.
public struct CloseCounts: Sendable, Equatable {
  /// Missions met.
  public var met: Int
  /// Missions not met.
  public var notMet: Int
  /// Missions unknown.
  public var unknown: Int
  /// Days that count for the streak.
  public var counted: Int
  /// Days missed.
  public var missed: Int
  /// Days held.
  public var held: Int
  /// Days excused.
  public var excused: Int
  /// Users with a streak of at least 1 before the day.
  public var streaks: Int
  /// Streaks that broke.
  public var broken: Int

  /// A value with these fields.
  public init(
    met: Int = 0, notMet: Int = 0, unknown: Int = 0, counted: Int = 0, missed: Int = 0,
    held: Int = 0, excused: Int = 0, streaks: Int = 0, broken: Int = 0
  ) {
    self.met = met
    self.notMet = notMet
    self.unknown = unknown
    self.counted = counted
    self.missed = missed
    self.held = held
    self.excused = excused
    self.streaks = streaks
    self.broken = broken
  }
}
