import CivilTime
import Engine
import Ledger
import RewardRules

/// The change required by a roster entry.
enum RosterChange {
  case none
  case added(UserRecord)
  case moved(UserRecord)
}

extension WorkingState {
  /// Reserves room for the users of `roster` whom the ledger does not know.
  mutating func reserve(for roster: RosterFile) {
    reserve(users: roster.entries.count { ledger.index(of: $0.entry.user) == nil })
  }

  func change(
    _ entry: RosterEntry, to zone: Zone, now: Instant, revives: Bool
  ) throws -> RosterChange {
    guard let index = ledger.index(of: entry.user) else {
      return .added(try firstRecord(of: entry, in: zone, now: now))
    }
    let account = ledger.accounts[index]
    if let at = account.forgottenAt {
      throw RosterProblem(
        line: 0,
        what:
          "user \(entry.user) was forgotten at \(at) and cannot come back; give the person a new id, and take this line out"
      )
    }
    let isPseudonym = entry.apiUser != nil
    if account.isPresent, account.isPseudonym, !isPseudonym {
      throw RosterProblem(
        line: 0,
        what:
          "user \(entry.user) is a pseudonym, and this line has no \"apiUser\"; add it, or remove the user first if the API now knows them by this id"
      )
    }
    let move = UserRecord(
      user: entry.user, zone: zone.name, from: now, pseudonym: isPseudonym)
    if account.isPresent {
      // A line without a zone requests no change.
      let isSame = entry.zone == nil || zone.name == wantedZone(of: account)
      if !isSame { return .moved(move) }
      if account.isPseudonym == isPseudonym { return .none }
      return .moved(
        UserRecord(
          user: entry.user, zone: wantedZone(of: account), from: now, pseudonym: isPseudonym))
    }
    if !revives { return .none }
    // If the day on which the user left is still running, it continues. Otherwise a new day begins.
    let left = try windowOfLeaving(account, orElse: entry.zone == nil ? nil : zone.name)
    if let left, left.window.contains(now) {
      let stays = UserRecord(
        user: entry.user, zone: left.zone, from: now, pseudonym: isPseudonym)
      return .added(entry.zone == nil ? stays : move)
    }
    return .added(
      try comeBack(
        entry, in: zone, now: now, after: left?.day ?? account.boundaryDay,
        endingAt: left?.window.end ?? max(account.boundary, account.leftAt ?? account.boundary)))
  }

  /// Returns the zone in which a user will live once all pending changes have taken effect.
  private func wantedZone(of account: Account) -> String {
    guard let comeback = account.comebacks.last else {
      return account.changes.last?.zone ?? ledger.zone(of: account)
    }
    // Moves from before the return no longer count.
    let change = account.changes.last { $0.at >= comeback.from }
    return change?.zone ?? ledger.users.zones[comeback.zone]
  }

  /// Returns the window in which a user left; nil if it is closed. `last` is used if no zone of the user can be read.
  private func windowOfLeaving(
    _ account: Account, orElse last: String?
  ) throws -> UserWindow? {
    guard let leftAt = account.leftAt else { return nil }
    let windows = try allWindows(of: account, through: leftAt, orElse: last)
    return windows.last { $0.window.contains(leftAt) }
  }

  /// Returns the record of a new user.
  private func firstRecord(of entry: RosterEntry, in zone: Zone, now: Instant) throws -> UserRecord
  {
    let window = try firstWindow(of: entry, in: zone, now: now)
    let isAct = entry.opening != nil || window.end <= now
    return UserRecord(
      user: entry.user, zone: zone.name, from: window.start, since: window.day,
      opening: entry.opening, pseudonym: entry.apiUser != nil,
      undated: isAct && entry.since == nil, by: isAct ? RecordBody.actBefore : nil)
  }

  /// Returns the record of a user who comes back after the day of leaving, `last`, has ended. Days of absence are not
  /// judged, whatever the roster's `since` says. No closed day is reopened, and no instant belongs to two days.
  private func comeBack(
    _ entry: RosterEntry, in zone: Zone, now: Instant, after last: Day, endingAt earliest: Instant
  ) throws -> UserRecord {
    var window = zone.window(containing: max(now, earliest))
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    while window.day <= last { window = zone.nextWindow(after: window) }
    return UserRecord(
      user: entry.user, zone: zone.name, from: max(window.start, earliest), since: window.day,
      pseudonym: entry.apiUser != nil)
  }

  private func firstWindow(
    of entry: RosterEntry, in zone: Zone, now: Instant
  ) throws -> DayWindow {
    var window = zone.window(containing: now)
    if let since = entry.since {
      guard let first = zone.window(of: since) else {
        throw RosterProblem(
          line: 0, what: "user \(entry.user): the day \(since) does not exist in \(zone.name)")
      }
      if window.day.number - first.day.number >= Windows.limit {
        throw RosterProblem(
          line: 0,
          what: "user \(entry.user): the day \(since) is more than \(Windows.limit) days ago")
      }
      window = first
    }
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    return window
  }
}
