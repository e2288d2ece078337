import CivilTime
import RewardRules

extension Book {
  mutating func apply(_ user: UserRecord) {
    guard let index = indexByID[user.user] else { return add(user) }
    defer {
      if accounts[index].changes.isEmpty { changing.remove(index) } else { changing.insert(index) }
    }
    if user.removed {
      if !accounts[index].isRemoved { populate(accounts[index].zone, by: -1) }
      accounts[index].isRemoved = true
    } else if let day = user.takesEffect {
      settle(index, through: day, end: user.from)
      move(index, to: user.zone)
      accounts[index].changes.removeAll { $0.at < user.from }
    } else if let since = user.since {
      accounts[index].knownSince = knownSince(user)
      // Somebody who left has come back: a new beginning, the past stays.
      settle(index, through: since.adding(days: -1), end: user.from)
      if accounts[index].isRemoved { populate(accounts[index].zone, by: 1) }
      accounts[index].isRemoved = false
      move(index, to: user.zone)
      accounts[index].changes = []
    } else {
      accounts[index].changes.append(ZoneChange(at: user.from, zone: user.zone))
    }
  }

  private mutating func add(_ user: UserRecord) {
    guard let since = user.since, !user.removed else { return }
    var account = Account(
      id: user.user, zone: intern(zone: user.zone), boundary: user.from,
      boundaryDay: since.adding(days: -1))
    account.knownSince = knownSince(user)
    if let opening = user.opening { account.open(with: opening) }
    indexByID[user.user] = accounts.count
    accounts.append(account)
    populate(account.zone, by: 1)
  }

  /// On the day of the import the inbox's lines about the user were refused until the import. An earlier first day is
  /// somebody's word that all of it will be handed in.
  private func knownSince(_ user: UserRecord) -> Instant {
    at.seconds(since: user.from) < 90_000 ? at : user.from
  }

  private mutating func move(_ index: Int, to name: String) {
    let zone = intern(zone: name)
    guard zone != accounts[index].zone else { return }
    // In before out: a zone that two users swap is never empty.
    populate(zone, by: 1)
    populate(accounts[index].zone, by: -1)
    accounts[index].zone = zone
  }

  mutating func apply(_ close: CloseRecord) {
    let window = close.window
    closes[close.zone, default: ZoneCloses(last: window)].add(
      window, streaks: close.counts.streaks, broken: close.counts.broken)
    confirmedCloses.remove("\(close.zone)/\(window.day)")
    guard let zone = zoneIndex[close.zone] else { return }
    for index in accounts.indices
    where accounts[index].zone == zone && accounts[index].isSettled(by: close) {
      settle(index, through: window.day, end: window.end)
    }
  }

  /// Moves a user's boundary to the end of `day` and takes what was open up to there into the settled state.
  private mutating func settle(_ index: Int, through day: Day, end: Instant) {
    accounts[index].settle(through: day, end: end) { [rules] day in
      (rules?.rules(on: day) ?? RulesDocument.builtIn).levels.caps
    }
  }
}

extension Account {
  /// Whether a close of the user's zone settles the user.
  public func isSettled(by close: CloseRecord) -> Bool {
    let end = close.window.end
    // Nothing is known of the days of somebody who is not judged.
    if isRemoved || stopped != nil || boundary >= end { return false }
    // Whoever has a zone change that counts before this end is settled by a line of their own.
    return !changes.contains { $0.at < end }
  }

  /// Takes over what the user brings from before the ledger.
  mutating func open(with opening: OpeningBalance) {
    points = opening.points
    state.level = opening.level
    recordedLevel = opening.level
    state.exp = opening.exp
    if opening.level >= 2 {
      for level in 2...opening.level { state.rewardedLevels |= 1 << UInt32(level) }
    }
    state.owned = Set(opening.items)
    if opening.streak > 0 {
      state.streak.length = opening.streak
      state.streak.cycleDay = (opening.streak - 1) % 7 + 1
      state.streak.longest = opening.streak
      state.streak.lastDay = boundaryDay
    }
  }
}
