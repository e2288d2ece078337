public import CivilTime
public import Ledger

/// The days of users that are not closed, computed once for all who share a zone and a boundary.
public struct Windows: Sendable {
  private struct Place: Hashable {
    let zone: Int32
    let boundary: Instant
    let day: Day
  }

  /// At most so many open days are evaluated at once, some ten years; nobody is taken in who is further behind.
  public static let limit = 4_000

  /// The time zones.
  public let zones: any ZoneSource
  private var known: [Place: [UserWindow]] = [:]

  /// Windows by these time zones.
  public init(zones: any ZoneSource) { self.zones = zones }

  /// The windows of `account` that are not closed, in order, up to the one that contains `now`.
  ///
  /// Of a user who has left, those that had ended by then. Empty before the first judged day. Throws when a zone of the user is
  /// unknown: the user is then not judged.
  public mutating func open(
    of account: Account, zone: String, through now: Instant, in state: LedgerState
  ) throws(ZoneError) -> [UserWindow] {
    guard !account.isMoving, account.isPresent else {
      let windows = try all(of: account, zone: zone, through: now, in: state)
      guard let leftAt = account.leftAt else { return windows }
      return Array(windows.prefix { $0.end <= leftAt })
    }
    let place = Place(zone: account.zone, boundary: account.boundary, day: account.boundaryDay)
    if let windows = known[place], let last = windows.last, last.window.contains(now) {
      return windows
    }
    let windows = try all(of: account, zone: zone, through: now, in: state)
    if known.count > 4_096 { known = [:] }
    known[place] = windows
    return windows
  }

  /// The same, and of a user who has left also the day of leaving: it is not closed, but it follows the law.
  public mutating func followed(
    of account: Account, zone: String, through now: Instant, in state: LedgerState
  ) throws(ZoneError) -> [UserWindow] {
    guard let leftAt = account.leftAt else {
      return try open(of: account, zone: zone, through: now, in: state)
    }
    return try all(of: account, zone: zone, through: min(now, leftAt), in: state)
      .filter { $0.start < leftAt }
  }

  /// Forgets everything, for a new time zone database.
  public mutating func forget() { known = [:] }

  /// The windows of `account` that are not closed, in order, up to the one that contains `now`, as if a user who has left were
  /// there. Throws when a zone of the user is unknown.
  public func all(
    of account: Account, zone: String, through now: Instant, in state: LedgerState
  ) throws(ZoneError) -> [UserWindow] {
    var windows: [UserWindow] = []
    var zone = zone
    var day = account.boundaryDay
    var boundary = account.boundary
    var comebacks = account.comebacks[...]
    var changes = account.changes
    /// The next day begins with a return, in its zone; moves from before it count no more.
    func comeBack(_ comeback: Comeback) {
      comebacks.removeFirst()
      changes.removeAll { $0.at < comeback.from }
      boundary = max(boundary, comeback.from)
      zone = state.users.zones[comeback.zone]
    }
    while boundary <= now, windows.count < Self.limit {
      if let comeback = comebacks.first, comeback.leftAt <= boundary {
        comeBack(comeback)
        continue
      }
      let window = try UserCalendar.next(
        afterDay: day, endingAt: boundary, currentZone: zone, changes: changes,
        zones: zones)
      if let comeback = comebacks.first, comeback.leftAt < window.end {
        // The day of leaving ends there.
        windows.append(
          UserWindow(
            window: DayWindow(day: window.day, start: boundary, end: comeback.leftAt),
            zone: window.zone, isShortened: true))
        comeBack(comeback)
      } else {
        windows.append(window)
        boundary = window.end
        zone = window.zone
      }
      day = window.day
    }
    return windows
  }
}
