public import CivilTime
internal import Described
import Evidence
import RewardRules

/// The users in the ledger: their accounts, the zones they live in, and who is about to move.
public struct UserTable: Sendable {
  /// The accounts, in the order of their first records.
  public internal(set) var accounts = AccountPages()
  /// The zones in which users live or lived.
  public internal(set) var zones = ZoneTable()
  /// The indices of the accounts with a zone change or a return that has yet to take effect.
  public private(set) var moving: Set<Int> = []
  private var indexByID: [String: Int32] = [:]
  /// What is kept of the users' past.
  var pasts: UserPasts

  /// The position in the ledger when a line about users is applied.
  struct Place {
    /// The line's sequence number.
    let seq: UInt64
    /// The line's recorded time.
    let at: Instant
    /// The rules in use before the line.
    let rules: RuleHistory
    /// The last close, which may be this line itself.
    let close: CloseRecord?
    /// The kinds that the close says were watched.
    let watched: KindSet?
  }

  /// Creates an empty table; `pasts` says how much of the users' past to keep.
  init(keeping pasts: UserPasts.Kind) { self.pasts = UserPasts(pasts) }

  /// Returns the index of a user's account; nil if the ledger does not know the user.
  public func index(of user: String) -> Int? { indexByID[user].map(Int.init) }

  /// Returns whether `close` closes the day of the account at `index`; see ``Account/isClosed(by:)``. Copies nothing,
  /// because every close checks all residents of its zone.
  public func isClosed(_ index: Int, by close: CloseRecord) -> Bool {
    accounts[index].isClosed(by: close)
  }

  /// Returns the past of the account at `index`; nil if it is not kept.
  public func history(at index: Int) -> AccountHistory? { pasts[index] }

  /// When the first pending move into each zone became known, by zone name.
  public var arrivals: [String: Instant] {
    var arrivals: [String: Instant] = [:]
    func note(_ zone: String, _ instant: Instant) {
      arrivals[zone] = min(arrivals[zone] ?? instant, instant)
    }
    for user in moving where accounts[user].isPresent {
      for change in accounts[user].changes { note(change.zone, change.at) }
      for comeback in accounts[user].comebacks { note(zones[comeback.zone], comeback.knownAt) }
    }
    return arrivals
  }

  /// Applies a record about one user, other than moves and closes.
  mutating func apply(_ body: RecordBody, about user: String, by fold: RecordFold) {
    guard let index = index(of: user) else { return }
    fold.apply(body, to: &accounts[index], &pasts[index])
  }

  /// Applies a user's import, move or removal.
  mutating func apply(_ record: UserRecord, at place: Place) {
    guard let index = index(of: record.user) else { return add(record, place) }
    if record.since != nil { pasts[index]?.noteReturn() }
    defer {
      if accounts[index].isMoving { moving.insert(index) } else { moving.remove(index) }
    }
    if !record.removed, record.takesEffect == nil { accounts[index].isPseudonym = record.pseudonym }
    if record.removed {
      leave(index, record, place)
      if record.forgotten { accounts[index].forgottenAt = accounts[index].forgottenAt ?? place.at }
    } else if let day = record.takesEffect {
      takeEffect(index, day, record, place)
    } else if let since = record.since {
      comeBack(index, since: since, record, place)
    } else {
      // A user who left on the running day continues with it.
      if let leftAt = accounts[index].leftAt {
        accounts[index].absences.append(Absence(from: leftAt, to: place.at))
        enter(index, place)
      }
      let isSame =
        zones[accounts[index].zone] == record.zone && accounts[index].changes.isEmpty
        && accounts[index].comebacks.isEmpty
      if !isSame { accounts[index].move(to: record.zone, at: record.from) }
    }
  }

  /// Applies the close of a zone's day to everyone whose next day it is.
  mutating func apply(_ close: CloseRecord, at place: Place) {
    guard let zone = zones.index(of: close.zone) else { return }
    let window = close.window
    for resident in zones.residents(of: zone) {
      let index = Int(resident)
      guard accounts[index].zone == zone, accounts[index].boundary < window.end,
        accounts[index].isClosed(by: close)
      else { continue }
      settle(
        index, DayWindow(day: window.day, start: accounts[index].boundary, end: window.end),
        next: window.end, place)
      resume(index, place)
    }
  }

  /// Creates a table of those users of `table` for whom `isWanted` returns true, as they stand, with nothing known of
  /// their past.
  init(_ table: UserTable, where isWanted: (String) -> Bool) throws(BinaryError) {
    self.init(keeping: .recent)
    for account in table.accounts where isWanted(account.id) { accounts.append(account) }
    zones.names = table.zones.names
    zones.since = table.zones.since
    try restore()
    for account in accounts { pasts.append(AccountHistory(behind: account)) }
  }

  /// Reserves room for `count` more users.
  mutating func reserve(_ count: Int) {
    indexByID.reserveCapacity(accounts.count + count)
  }

  /// Rebuilds the lookup tables from the accounts in a snapshot.
  mutating func restore() throws(BinaryError) {
    indexByID.reserveCapacity(accounts.count)
    for index in accounts.indices {
      if accounts[index].isMoving { moving.insert(index) }
      indexByID[accounts[index].id] = Int32(index)
    }
    try zones.restore(accounts)
  }
}

extension UserTable {
  private mutating func add(_ record: UserRecord, _ place: Place) {
    guard let since = record.since, !record.removed else { return }
    var account = Account(
      id: record.user, zone: zones.intern(record.zone), boundary: record.from,
      boundaryDay: since.adding(days: -1))
    account.isPseudonym = record.pseudonym
    account.absences = [Absence(from: .earliest, to: place.known(since: record.from))]
    if let opening = record.opening {
      account.open(
        with: opening, by: place.rules.streak(on: since), caps: place.rules.caps(on: since))
    }
    indexByID[account.id] = Int32(accounts.count)
    zones.settle(accounts.count, in: account.zone)
    accounts.append(account)
    pasts.append(AccountHistory(start: record.from, opening: account.state))
    populate(account.zone, by: 1, place)
  }

  private mutating func leave(_ index: Int, _ record: UserRecord, _ place: Place) {
    guard accounts[index].isPresent else { return }
    accounts[index].leftAt = record.from
    populate(accounts[index].zone, by: -1, place)
  }

  private mutating func enter(_ index: Int, _ place: Place) {
    accounts[index].leftAt = nil
    populate(accounts[index].zone, by: 1, place)
  }

  /// Applies a zone change or a return that takes effect, because the day before it has ended.
  private mutating func takeEffect(
    _ index: Int, _ day: Day, _ record: UserRecord, _ place: Place
  ) {
    // The day of leaving ends with its date, or with an earlier return.
    var end = record.from
    if let close = place.close?.window, close.day == day { end = min(end, close.end) }
    settle(
      index, DayWindow(day: day, start: accounts[index].boundary, end: end), next: record.from,
      place)
    // A user who left and came back again before the first day of a return continues with that day.
    accounts[index].comebacks.removeAll { $0.follows(record.from) }
    move(index, to: zones.intern(record.zone), place)
    accounts[index].changes.removeAll { $0.at < record.from }
  }

  /// Applies the return of a user on a later day. It waits until the day of leaving is closed like any other.
  private mutating func comeBack(
    _ index: Int, since: Day, _ record: UserRecord, _ place: Place
  ) {
    let leftAt = accounts[index].leftAt ?? record.from
    // An earlier first day says nothing about this absence, because a roster keeps the day on which the user first
    // came.
    accounts[index].absences.append(Absence(from: leftAt, to: place.at))
    let zone = zones.intern(record.zone)
    if !accounts[index].isPresent { enter(index, place) }
    accounts[index].comebacks.append(
      Comeback(knownAt: place.at, leftAt: leftAt, from: record.from, zone: zone))
    resume(index, place)
  }

  /// Continues a user with the return once the day of leaving is closed.
  private mutating func resume(_ index: Int, _ place: Place) {
    while let comeback = accounts[index].comebacks.first,
      comeback.follows(accounts[index].boundary)
    {
      accounts[index].comebacks.removeFirst()
      accounts[index].changes.removeAll { $0.at < comeback.from }
      accounts[index].boundary = max(accounts[index].boundary, comeback.from)
      move(index, to: comeback.zone, place)
    }
    // Few users ever move, and looking up everyone in the set would cost more than everything else here.
    if !moving.isEmpty, !accounts[index].isMoving { moving.remove(index) }
  }

  private mutating func move(_ index: Int, to zone: Int32, _ place: Place) {
    guard zone != accounts[index].zone else { return }
    // In before out, so that a zone swapped by two users is never empty.
    if accounts[index].isPresent {
      populate(zone, by: 1, place)
      populate(accounts[index].zone, by: -1, place)
    }
    zones.move(index, from: accounts[index].zone, to: zone)
    accounts[index].zone = zone
  }

  /// Counts a user in or out of a zone, and records since when the zone has had users. The announcement of the first
  /// user's move counts, because a day extended by the move may end there, in a run that is not recorded yet.
  private mutating func populate(_ zone: Int32, by change: Int, _ place: Place) {
    guard zones.populate(zone, by: change) else { return }
    let name = zones[zone]
    zones.since[name] = min(place.at, arrivals[name] ?? place.at)
  }

  /// Merges an account's open day into the state of its closed days; `window` is the user's own.
  private mutating func settle(
    _ index: Int, _ window: DayWindow, next: Instant, _ place: Place
  ) {
    pasts.noteSettled(index)
    // Polling ends when a user leaves, so the day of leaving breaks nothing.
    let isLeft = accounts[index].hasLeft(before: window.end)
    accounts[index].settle(window, next: next, caps: place.rules.caps(on:), &pasts[index])
    guard pasts.holds(index) else { return }
    // A user's own line follows the close it belongs to.
    let isOfClose = place.close?.window.holds(window) ?? false
    var closed = UserWindow(
      window: window, zone: zones[accounts[index].zone], isShortened: false)
    if isOfClose, let close = place.close {
      closed = UserWindow(
        window: window, zone: close.zone, isShortened: isLeft || window.isShorter(than: close.date))
    }
    pasts[index]?.add(
      ClosedDay(
        window: closed, seq: place.seq, known: place.seq, watched: isOfClose ? place.watched : nil),
      isToldWhole: place.close != nil)
  }
}

extension UserTable.Place {
  /// On the day of the import, the inbox refused lines about the user until the import. An earlier first day means
  /// that someone vouches that all of it will be handed in.
  fileprivate func known(since start: Instant) -> Instant {
    at.seconds(since: start) < 90_000 ? at : start
  }
}

extension Account {
  /// Records a move. One announced before the first day, or before the first day after a return, counts from that day
  /// on: it keeps the zone in which it was announced.
  fileprivate mutating func move(to zone: String, at instant: Instant) {
    let start = comebacks.last?.from ?? boundary
    changes.append(ZoneChange(at: max(instant, start), zone: zone))
  }

  /// Applies the user's opening balance; `rules` determine the cycle day of the streak, and `caps` the exp that made the level.
  fileprivate mutating func open(
    with opening: OpeningBalance, by rules: StreakRules, caps: [Int64]
  ) {
    state.level = opening.level
    recordedLevel = opening.level
    state.exp = opening.amounts.exp
    var credited = opening.amounts
    credited.exp = state.totalExp(caps: caps)
    holdings.credit(credited)
    state.boosterUntil = opening.boosterUntil
    state.owned = Set(opening.items)
    if !opening.items.isEmpty { creditedItems = state.owned }
    if opening.streak > 0 {
      state.streak.length = opening.streak
      state.streak.cycleDay = rules.cycleDay(ofStreak: opening.streak)
      state.streak.longest = opening.streak
      state.streak.lastDay = boundaryDay
    }
  }
}

extension DayWindow {
  /// Returns whether the user's day `window` was closed with this day of the zone.
  fileprivate func holds(_ window: DayWindow) -> Bool {
    day == window.day && end >= window.end
  }
}
