/// A zone's window at hand: questions about the day that it stands on cost two comparisons.
public struct DayCursor: Sendable {
  /// The zone.
  public let zone: Zone
  /// The window that was asked for last.
  public private(set) var window: DayWindow

  /// A cursor that stands on the window that holds `instant`.
  public init(zone: Zone, at instant: Instant) {
    self.zone = zone
    window = zone.window(containing: instant)
  }

  /// The window that holds `instant`; the cursor then stands on it.
  public mutating func window(containing instant: Instant) -> DayWindow {
    if !window.contains(instant) { window = zone.window(containing: instant) }
    return window
  }
}
