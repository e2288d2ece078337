public import CivilTime
import RewardRules

extension LedgerState {
  mutating func apply(_ record: UserRecord) {
    guard let index = indexByID[record.user] else { return add(record) }
    defer {
      if accounts[index].isMoving { moving.insert(index) } else { moving.remove(index) }
    }
    if record.removed {
      leave(index, at: record.from)
    } else if let day = record.takesEffect {
      takeEffect(index, day, record)
    } else if let since = record.since {
      comeBack(index, since: since, record)
    } else {
      // Whoever left on the running day goes on with it.
      if let leftAt = accounts[index].leftAt {
        accounts[index].absences.append(Absence(from: leftAt, to: at))
        enter(index, accounts[index].zone)
      }
      let isSame =
        zones[Int(accounts[index].zone)] == record.zone && accounts[index].changes.isEmpty
        && accounts[index].comebacks.isEmpty
      if !isSame { accounts[index].move(to: record.zone, at: record.from) }
    }
  }

  private mutating func add(_ record: UserRecord) {
    guard let since = record.since, !record.removed else { return }
    var account = Account(
      id: record.user, zone: intern(zone: record.zone), boundary: record.from,
      boundaryDay: since.adding(days: -1))
    account.absences = [Absence(from: .earliest, to: knownSince(record))]
    if let opening = record.opening { account.open(with: opening) }
    append(account)
    if keepsPasts { histories.append(AccountHistory(start: record.from, opening: account.state)) }
    populate(account.zone, by: 1)
  }

  /// Puts an account at the end of the table.
  mutating func append(_ account: Account) {
    indexByID[account.id] = accounts.count
    residents[account.zone, default: []].append(Int32(accounts.count))
    accounts.append(account)
  }

  private mutating func leave(_ index: Int, at instant: Instant) {
    guard accounts[index].isPresent else { return }
    accounts[index].leftAt = instant
    populate(accounts[index].zone, by: -1)
  }

  private mutating func enter(_ index: Int, _ zone: Int32) {
    accounts[index].leftAt = nil
    populate(zone, by: 1)
  }

  /// A zone change, or a return, takes effect: the day before it is over.
  private mutating func takeEffect(_ index: Int, _ day: Day, _ record: UserRecord) {
    let comeback = accounts[index].comebacks.first
    let end = comeback.map { $0.from == record.from ? $0.leftAt : record.from } ?? record.from
    settle(
      index, DayWindow(day: day, start: accounts[index].boundary, end: end), next: record.from)
    if let comeback, comeback.from == record.from {
      accounts[index].comebacks.removeFirst()
      accounts[index].changes = accounts[index].changes.filter { $0.at >= record.from }
    }
    move(index, to: record.zone)
    accounts[index].changes.removeAll { $0.at < record.from }
  }

  /// Somebody who left comes back on a later day. The day of leaving is closed like any other; until then the return waits.
  private mutating func comeBack(_ index: Int, since: Day, _ record: UserRecord) {
    let leftAt = accounts[index].leftAt ?? record.from
    accounts[index].absences.append(Absence(from: leftAt, to: knownSince(record)))
    let zone = intern(zone: record.zone)
    if !accounts[index].isPresent { enter(index, accounts[index].zone) }
    accounts[index].comebacks.append(
      Comeback(knownAt: at, leftAt: leftAt, from: record.from, zone: zone))
    resume(index)
  }

  /// Lets a user who left at the very end of the last closed day go on with the return.
  mutating func resume(_ index: Int) {
    while let comeback = accounts[index].comebacks.first,
      comeback.leftAt <= accounts[index].boundary
    {
      accounts[index].comebacks.removeFirst()
      accounts[index].changes.removeAll { $0.at < comeback.from }
      accounts[index].boundary = max(accounts[index].boundary, comeback.from)
      move(index, to: zones[Int(comeback.zone)])
    }
    if !accounts[index].isMoving { moving.remove(index) }
  }

  /// On the day of the import the inbox's lines about the user were refused until the import. An earlier first day is
  /// somebody's word that all of it will be handed in.
  private func knownSince(_ record: UserRecord) -> Instant {
    at.seconds(since: record.from) < 90_000 ? at : record.from
  }

  private mutating func move(_ index: Int, to name: String) {
    let zone = intern(zone: name)
    guard zone != accounts[index].zone else { return }
    // In before out: a zone that two users swap is never empty.
    if accounts[index].isPresent {
      populate(zone, by: 1)
      populate(accounts[index].zone, by: -1)
    }
    accounts[index].zone = zone
    residents[zone, default: []].append(Int32(index))
  }

  /// Counts a user in or out of a zone, and notes since when the zone has had any: the move of its first one counts,
  /// for the day that the move extends may end there, in a run that is not recorded yet.
  mutating func populate(_ zone: Int32, by change: Int) {
    let count = population[zone, default: 0] + change
    population[zone] = count
    let name = zones[Int(zone)]
    if count == 0 {
      zonesSince[name] = nil
    } else if zonesSince[name] == nil {
      zonesSince[name] = min(at, arrivals[name] ?? at)
    }
  }

  /// Since when users have been moving into zones, by zone name, of moves that have not taken effect.
  public var arrivals: [String: Instant] {
    var arrivals: [String: Instant] = [:]
    func note(_ zone: String, _ instant: Instant) {
      arrivals[zone] = min(arrivals[zone] ?? instant, instant)
    }
    for user in moving where accounts[user].isPresent {
      for change in accounts[user].changes { note(change.zone, change.at) }
      for comeback in accounts[user].comebacks { note(zones[Int(comeback.zone)], comeback.knownAt) }
    }
    return arrivals
  }

  /// The index of a zone's name, new names at the end.
  mutating func intern(zone: String) -> Int32 {
    if let index = zoneIndex[zone] { return index }
    let index = Int32(zones.count)
    zones.append(zone)
    zoneIndex[zone] = index
    return index
  }
}

extension Account {
  /// Notes a move. One from before the first day, or before the first one after a return, counts from then on: that day keeps
  /// the zone in which it was announced.
  fileprivate mutating func move(to zone: String, at instant: Instant) {
    let start = comebacks.last?.from ?? boundary
    changes.append(ZoneChange(at: max(instant, start), zone: zone))
  }

  /// Takes over what the user brings from before the ledger.
  mutating func open(with opening: OpeningBalance) {
    points = opening.points
    state.level = opening.level
    recordedLevel = opening.level
    state.exp = opening.exp
    state.owned = Set(opening.items)
    if opening.streak > 0 {
      state.streak.length = opening.streak
      state.streak.cycleDay = (opening.streak - 1) % 7 + 1
      state.streak.longest = opening.streak
      state.streak.lastDay = boundaryDay
    }
  }
}
