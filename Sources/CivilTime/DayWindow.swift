/// A day with the half-open interval of instants `[start, end)` that belongs to it.
public struct DayWindow: Hashable, Sendable {
  /// The calendar date that names the window.
  public let day: Day
  /// The first instant of the window.
  public let start: Instant
  /// The first instant after the window.
  public let end: Instant

  /// Creates a window; `start` must come before `end`.
  @inlinable
  public init(day: Day, start: Instant, end: Instant) {
    self.day = day
    self.start = start
    self.end = end
  }

  /// Returns whether the window is shorter than `own`.
  public func isShorter(than own: DayWindow) -> Bool {
    end.seconds(since: start) < own.end.seconds(since: own.start)
  }

  /// Returns whether `instant` lies in the window.
  @inlinable
  public func contains(_ instant: Instant) -> Bool { start <= instant && instant < end }
}
