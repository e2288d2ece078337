/// A streak's length and cycle day after a day.
public struct StreakMark: Sendable, Equatable {
  /// Counted days in a row.
  public var length: Int32
  /// 1 to 7, 0 when there is none.
  public var cycleDay: Int32

  /// A value with these fields.
  public init(
    length: Int32, cycleDay: Int32
  ) {
    self.length = length
    self.cycleDay = cycleDay
  }
}
