package import CivilTime
package import Ledger

/// The open days of users, computed once for all users who share a zone and a boundary.
package struct Windows: Sendable {
  private struct Place: Hashable {
    let zone: Int32
    let boundary: Instant
    let day: Day
  }

  /// The most open days evaluated at once, some ten years. A user further behind is not accepted.
  package static let limit = 4_000

  /// The time zones.
  package let zones: any ZoneSource
  private var known: [Place: [UserWindow]] = [:]

  /// Creates windows with these time zones.
  package init(zones: any ZoneSource) { self.zones = zones }

  /// Returns the open windows of `account`, in order, up to the one that contains `now`.
  ///
  /// For a user who has left, they end with the day of leaving. Empty before the first judged day. Throws if one of
  /// the user's zones is unknown; the user is then not judged.
  package mutating func open(
    of account: Account, zone: String, through now: Instant, in state: LedgerState
  ) throws(ZoneError) -> [UserWindow] {
    guard account.isResident else {
      let horizon = account.leftAt.map { min($0, now) } ?? now
      return try all(of: account, zone: zone, through: horizon, in: state)
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

  /// Clears the cache, for a new time zone database.
  package mutating func forget() { known = [:] }

  /// Returns the open windows of `account`, in order, up to the one that contains `now`, as if a user who has left
  /// were present. The day of leaving is marked shortened, because polling ends when the user leaves.
  ///
  /// If a zone's name has vanished, the user's next readable zone, or else `last`, takes its place from the boundary
  /// at which the vanished zone would have counted. Throws if there is none.
  package func all(
    of account: Account, zone: String, through now: Instant, in state: LedgerState,
    orElse last: String? = nil
  ) throws(ZoneError) -> [UserWindow] {
    var windows: [UserWindow] = []
    var zone = zone
    var day = account.boundaryDay
    var boundary = account.boundary
    var comebacks = account.comebacks[...]
    var changes = account.changes
    let replacementZones = replacementZones(for: account, in: state, orElse: last)
    if !replacementZones.isEmpty {
      zone = readable(zone, from: .earliest, replacementZones)
      changes = changes.map {
        ZoneChange(at: $0.at, zone: readable($0.zone, from: $0.at, replacementZones))
      }
    }
    /// Begins the next day with a return, in its zone. Earlier moves no longer count.
    func comeBack(_ comeback: Comeback) {
      comebacks.removeFirst()
      changes.removeAll { $0.at < comeback.from }
      boundary = max(boundary, comeback.from)
      zone = readable(state.users.zones[comeback.zone], from: comeback.from, replacementZones)
    }
    while boundary <= now, windows.count < Self.limit {
      if let comeback = comebacks.first, comeback.follows(boundary) {
        comeBack(comeback)
        continue
      }
      let window = try UserCalendar.next(
        afterDay: day, endingAt: boundary, currentZone: zone, changes: changes,
        zones: zones)
      let comeback = comebacks.first.flatMap { $0.follows(window.end) ? $0 : nil }
      let isLeft = comeback != nil || account.leftAt.map { $0 < window.end } ?? false
      windows.append(
        isLeft
          ? UserWindow(
            window: DayWindow(
              day: window.day, start: boundary,
              end: comeback.map { min(window.end, $0.from) } ?? window.end),
            zone: window.zone, isShortened: true) : window)
      boundary = windows[windows.count - 1].end
      zone = window.zone
      if let comeback { comeBack(comeback) }
      day = window.day
    }
    return windows
  }

  /// Returns the zones the user will move to, by time, followed by `last`. They replace earlier zones that cannot be
  /// read.
  private func replacementZones(
    for account: Account, in state: LedgerState, orElse last: String?
  ) -> [ZoneChange] {
    guard account.isMoving || last != nil else { return [] }
    let moves =
      account.changes
      + account.comebacks.map {
        ZoneChange(at: $0.from, zone: state.users.zones[$0.zone])
      }
    return moves.sorted { $0.at < $1.at } + (last.map { [ZoneChange(at: .latest, zone: $0)] } ?? [])
  }

  /// Returns `name` or, if that zone cannot be read, the first readable zone from `instant` on.
  private func readable(
    _ name: String, from instant: Instant, _ replacementZones: [ZoneChange]
  ) -> String {
    let names = [name] + replacementZones.lazy.filter { $0.at >= instant }.map(\.zone)
    return names.first { (try? zones.zone(named: $0)) != nil } ?? name
  }
}
