/// A user's move to another zone, with the instant at which it became known.
public struct ZoneChange: Hashable, Sendable {
  /// When the change became known. It takes effect at the end of the window running then.
  public let at: Instant
  /// The IANA name of the new zone.
  public let zone: String

  /// Creates a change.
  public init(at: Instant, zone: String) {
    self.at = at
    self.zone = zone
  }
}

/// The sequence of one user's days: windows that tile time, with strictly increasing labels, through all zone changes.
///
/// A change takes effect at the end of the window in which it becomes known; of several, the last counts. If that
/// instant's date in the new zone is not later than the day just ended, the running day is extended instead, to the
/// first instant with a later date there. So nobody gains a second day. Everywhere, `changes` is sorted by
/// ``ZoneChange/at``.
public enum UserCalendar {
  /// Returns a user's first window if it is that of the date `day` in `zone`; nil if the date does not exist there.
  public static func firstWindow(on day: Day, in zone: Zone) -> UserWindow? {
    zone.window(of: day).map { UserWindow(window: $0, zone: zone.name, isShortened: false) }
  }

  /// Returns a user's first window if it is the one in `zone` that contains `instant`.
  public static func firstWindow(containing instant: Instant, in zone: Zone) -> UserWindow {
    UserWindow(
      window: zone.window(containing: instant), zone: zone.name, isShortened: false)
  }

  /// Returns a user's first window, extended if changes known before its end require it. Changes from before its
  /// start are ignored, because `first` is already in the zone in force.
  public static func extended(
    _ first: UserWindow, changes: [ZoneChange], zones: any ZoneSource
  ) throws(ZoneError) -> UserWindow {
    let zone = try zones.zone(named: first.zone)
    return try extended(
      Running(zone: zone, zoneName: first.zone, window: first.window),
      applied: count(of: changes, before: first.start), changes: changes, zones: zones)
  }

  /// Returns the window that begins at `boundary`, where the window labelled `day` ended in `currentZone`.
  ///
  /// The zone in force is that of the last change before `boundary`, or `currentZone` if there is none.
  public static func next(
    afterDay day: Day, endingAt boundary: Instant, currentZone: String, changes: [ZoneChange],
    zones: any ZoneSource
  ) throws(ZoneError) -> UserWindow {
    let applied = count(of: changes, before: boundary)
    let zoneName = applied > 0 ? changes[applied - 1].zone : currentZone
    let zone = try zones.zone(named: zoneName)
    var own = zone.window(containing: boundary)
    // Happens only if the boundary comes from older zone rules than these; the closed date is not reopened.
    if own.day <= day { own = zone.window(containing: zone.firstInstant(after: day)) }
    let window = DayWindow(day: own.day, start: boundary, end: own.end)
    return try extended(
      Running(zone: zone, zoneName: zoneName, window: window), applied: applied,
      changes: changes, zones: zones)
  }

  /// A window whose end is not yet final.
  private struct Running {
    var zone: Zone
    /// The zone's name as in the user's record.
    var zoneName: String
    var window: DayWindow
  }

  /// Returns `running` with its final end and zone. The first `applied` of `changes` are in force or obsolete.
  private static func extended(
    _ running: Running, applied: Int, changes: [ZoneChange], zones: any ZoneSource
  ) throws(ZoneError) -> UserWindow {
    var running = running
    var applied = applied
    while true {
      let known = count(of: changes, before: running.window.end)
      if known <= applied { break }
      applied = known
      let name = changes[known - 1].zone
      let zone = try zones.zone(named: name)
      let window = running.window
      if zone.window(containing: window.end).day > window.day { break }
      let end = zone.firstInstant(after: window.day)
      running = Running(
        zone: zone, zoneName: name,
        window: DayWindow(day: window.day, start: window.start, end: end))
    }
    let ownStart = running.zone.firstInstant(from: running.window.day)
    return UserWindow(
      window: running.window, zone: running.zoneName,
      isShortened: running.window.start > ownStart)
  }

  /// Returns how many of `changes` lie before `instant`.
  private static func count(of changes: [ZoneChange], before instant: Instant) -> Int {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at < instant { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
