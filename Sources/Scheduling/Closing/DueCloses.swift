import CivilTime
import Evidence
import Ledger

extension Desk {
  /// The closes that are due at `now`, in the order of their ends, then of their zones.
  ///
  /// A day is due once it has ended and, when some route is asked, the answers are no longer stale. Users who are
  /// behind their zone's last close join its next one.
  mutating func dueCloses(now: Instant, zones wanted: Set<String>?, through day: Day?) -> [DueClose]
  {
    var due: Set<DueClose> = []
    // Users of one zone and boundary have the same windows: each place is looked at once.
    var seen: Set<Place> = []
    for user in book.accounts.indices where !book.accounts[user].isRemoved {
      let account = book.accounts[user]
      if account.boundary > now { continue }
      if account.changes.isEmpty {
        let place = Place(zone: account.zone, boundary: account.boundary)
        if !seen.insert(place).inserted { continue }
      }
      guard let windows = try? windows(of: user, through: now) else { continue }
      for window in windows where isSettled(window, now: now) {
        if let wanted, !wanted.contains(window.zone) { continue }
        if let day, window.day > day { continue }
        if let last = book.closes[window.zone]?.last, window.day <= last.day { continue }
        due.insert(DueClose(zone: window.zone, window: closeWindow(of: window)))
      }
    }
    return due.sorted { ($0.window.end, $0.zone) < ($1.window.end, $1.zone) }.uniqued()
  }

  private struct Place: Hashable {
    let zone: Int32
    let boundary: Instant
  }

  /// Whether nothing that is still to be learnt about the window depends on waiting.
  private func isSettled(_ window: UserWindow, now: Instant) -> Bool {
    let asksRoutes = !context.kinds(on: window.day).intersection(context.watched)
      .isDisjoint(with: KindSet(Source.routes.compactMap(\.polledKind)))
    return window.end.adding(seconds: asksRoutes ? context.lagSeconds : 0) <= now
  }

  /// The zone's own window for the close, from where its last close ended: a user's may begin later.
  private func closeWindow(of window: UserWindow) -> DayWindow {
    let last = book.closes[window.zone]?.last
    var start = window.start
    if let zone = try? zones.zone(named: window.zone), let own = zone.window(of: window.day) {
      start = min(own.start, window.start)
    }
    if let last { start = max(start, last.end) }
    return DayWindow(day: window.day, start: start, end: window.end)
  }

  /// The users whose days end with this close, by account index.
  mutating func cohort(of close: DueClose, now: Instant) -> [Int] {
    var users: [Int] = []
    let zone = book.zones.firstIndex(of: close.zone).map { Int32($0) }
    for user in book.accounts.indices where !book.accounts[user].isRemoved {
      let account = book.accounts[user]
      if account.boundary >= close.window.end || account.stopped != nil { continue }
      if account.changes.isEmpty {
        if account.zone == zone { users.append(user) }
      } else if let windows = try? windows(of: user, through: now),
        windows.contains(where: { $0.zone == close.zone && $0.end == close.window.end })
      {
        users.append(user)
      }
    }
    return users
  }
}

extension [DueClose] {
  /// One close per zone and day: windows that differ in their start are one close with the earliest.
  fileprivate func uniqued() -> [DueClose] {
    var closes: [DueClose] = []
    for close in self {
      let same = closes.firstIndex { $0.zone == close.zone && $0.window.day == close.window.day }
      guard let same else {
        closes.append(close)
        continue
      }
      let start = Swift.min(closes[same].window.start, close.window.start)
      closes[same] = DueClose(
        zone: close.zone,
        window: DayWindow(day: close.window.day, start: start, end: close.window.end))
    }
    return closes
  }
}
