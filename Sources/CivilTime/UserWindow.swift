/// One day of one user: the window, the zone in which it ends, and whether a zone change shortened it.
public struct UserWindow: Hashable, Sendable {
  /// The day and its instants.
  public let window: DayWindow
  /// The IANA name of the zone in which the window ends. The user belongs to that zone's close.
  public let zone: String
  /// Whether a zone change made the window shorter than that day's own window in its zone.
  public let isShortened: Bool

  /// Creates a user's day.
  public init(window: DayWindow, zone: String, isShortened: Bool) {
    self.window = window
    self.zone = zone
    self.isShortened = isShortened
  }

  /// The calendar date that names the window.
  public var day: Day { window.day }
  /// The first instant of the window.
  public var start: Instant { window.start }
  /// The first instant after the window.
  public var end: Instant { window.end }
}
