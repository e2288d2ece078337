public import CivilTime

/// A zone's day that has ended and waits to be closed.
public struct DueClose: Hashable, Sendable {
  /// The IANA zone.
  public let zone: String
  /// The day and its window.
  public let window: DayWindow

  /// A day to close.
  public init(zone: String, window: DayWindow) {
    self.zone = zone
    self.window = window
  }
}
