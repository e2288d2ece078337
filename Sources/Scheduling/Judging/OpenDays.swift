import CivilTime
import Ledger

/// The days of users that are not closed, computed once for all who share a zone and a boundary.
struct OpenDays {
  private struct Place: Hashable {
    let zone: Int32
    let boundary: Instant
    let day: Day
  }

  /// At most so many open days are judged at once, some ten years; nobody is taken in who is further behind.
  static let limit = 4_000

  private let zones: any ZoneSource
  private var known: [Place: [UserWindow]] = [:]
  private var knownThrough: Instant = .earliest

  init(zones: any ZoneSource) { self.zones = zones }

  /// The windows of `account` that are not closed, in order, up to the one that contains `now`.
  ///
  /// Empty before the first judged day. Throws when a zone of the user is unknown: the user is then not judged.
  mutating func windows(
    of account: Account, zone: String, through now: Instant
  ) throws(ZoneError) -> [UserWindow] {
    guard account.changes.isEmpty else {
      return try compute(account, zone: zone, through: now)
    }
    let place = Place(zone: account.zone, boundary: account.boundary, day: account.boundaryDay)
    if let windows = known[place], let last = windows.last, last.window.contains(now) {
      return windows
    }
    let windows = try compute(account, zone: zone, through: now)
    if known.count > 4_096 { known = [:] }
    known[place] = windows
    return windows
  }

  /// Forgets everything, for a new time zone database.
  mutating func forget() { known = [:] }

  private func compute(
    _ account: Account, zone: String, through now: Instant
  ) throws(ZoneError) -> [UserWindow] {
    var windows: [UserWindow] = []
    var zone = zone
    var day = account.boundaryDay
    var boundary = account.boundary
    while boundary <= now, windows.count < Self.limit {
      let window = try UserCalendar.next(
        afterDay: day, endingAt: boundary, currentZone: zone, changes: account.changes,
        zones: zones)
      windows.append(window)
      day = window.day
      boundary = window.end
      zone = window.zone
    }
    return windows
  }
}
