import CivilTime
import Evidence
import RewardRules

extension LedgerState {
  /// Takes the next record in; records about users whom the state does not follow are passed over.
  public mutating func apply(_ record: Record) {
    seq = record.seq
    at = record.at
    switch record.body {
    case .genesis(let genesis):
      ledger = genesis.ledger
      isSimulated = genesis.simulated
    case .user(let user):
      jobEpoch += 1
      if follows(user.user) { apply(user) }
    case .rules(let rules): apply(rules)
    case .evidence, .credit, .grant, .streak, .level, .unknown, .reversal, .refused:
      if let user = record.body.user { change(user, by: record) }
    case .close(let close): apply(close)
    case .excuse(let excuse): apply(excuse)
    case .operator(let act):
      jobEpoch += 1
      apply(act)
    case .run(let run):
      jobEpoch += 1
      let key = "\(run.job)|\(run.zone)"
      let mark = RunMark(nominal: run.nominal, nominalLocal: run.nominalLocal)
      if let last = lastRuns[key], mark.isPassed(by: last) { break }
      lastRuns[key] = mark
    case .seal: break
    }
  }

  private mutating func change(_ user: String, by record: Record) {
    guard let index = indexByID[user] else { return }
    if histories.indices.contains(index) {
      accounts[index].apply(record.body, seq: record.seq, rules, &histories[index])
    } else {
      var none: AccountHistory?
      accounts[index].apply(record.body, seq: record.seq, rules, &none)
    }
  }

  private mutating func apply(_ record: RulesRecord) {
    drawKey = record.drawKey
    let lastClosed = closes.values.map(\.last.day).max()
    if record.corrects != nil, let lastClosed, lastClosed >= record.effectiveFrom {
      lateForAll = seq
    }
    add(ruleText: record.document, seq: seq)
  }

  /// Puts a document into use.
  mutating func add(ruleText text: String, seq: UInt64) {
    ruleTexts.append(RuleText(seq: seq, text: text))
    rules.add(text, seq: seq)
  }

  private mutating func apply(_ record: ExcuseRecord) {
    excuses.append(Excuse(seq: seq, record: record))
    guard let users = record.users else {
      if closes.values.contains(where: { $0.last.day >= record.from }) { lateForAll = seq }
      return
    }
    for user in users {
      guard let index = indexByID[user], accounts[index].boundaryDay >= record.from else {
        continue
      }
      // The instant of a date is known to the user's zone alone: a day before it is certainly early enough.
      let instant = Instant(seconds: Int64(record.from.number - 1) * 86_400)
      accounts[index].noteLate(at: instant, seq: seq)
    }
  }

  private mutating func apply(_ act: OperatorRecord) {
    switch act.act {
    case .release:
      guard let user = act.subject.split(separator: "/").first else { return }
      change(String(user), by: Record(seq: seq, at: at, body: .operator(act)))
    case .grant: break
    case .acceptClock: acceptedClock = at
    case .confirmClose: confirmedCloses.insert(act.subject)
    case .pause:
      pauses[act.subject] = PauseMark(since: at, reason: act.reason, actor: act.actor)
    case .resume: pauses[act.subject] = nil
    }
  }

  private mutating func apply(_ close: CloseRecord) {
    let window = close.window
    closes[close.zone, default: ZoneCloses(last: window)].add(
      window, streaks: close.counts.streaks, broken: close.counts.broken)
    confirmedCloses.remove("\(close.zone)/\(window.day)")
    lastClose = close
    guard let zone = zoneIndex[close.zone] else { return }
    for resident in residents(of: zone) {
      let index = Int(resident)
      guard accounts[index].zone == zone, accounts[index].isSettled(by: close) else { continue }
      settle(
        index, DayWindow(day: window.day, start: accounts[index].boundary, end: window.end),
        next: window.end)
      resume(index)
    }
  }

  /// Takes an account's open day into its settled state; `window` is the user's own.
  mutating func settle(_ index: Int, _ window: DayWindow, next: Instant) {
    let rules = rules
    // A line of the user's own follows the close to which it belongs.
    let close = lastClose.flatMap { $0.window.holds(window) ? $0 : nil }
    let zone = close?.zone ?? zones[Int(accounts[index].zone)]
    let isShortened = close.map { window.isShorter(than: $0.window) } ?? false
    let watched = close?.watched
    if histories.indices.contains(index) {
      accounts[index].settle(window, next: next, caps: rules.caps(on:), &histories[index])
      histories[index]?.days.append(
        ClosedDay(
          window: UserWindow(window: window, zone: zone, isShortened: isShortened), seq: seq,
          known: seq, watched: watched))
    } else {
      var none: AccountHistory?
      accounts[index].settle(window, next: next, caps: rules.caps(on:), &none)
    }
  }
}

extension Account {
  /// Whether a close of the user's zone settles the user: the user's next day begins within the closed window.
  ///
  /// Whoever has a move that counts before its end is settled by a line of their own.
  public func isSettled(by close: CloseRecord) -> Bool {
    let end = close.window.end
    if stopped != nil || boundary >= end || boundary < close.window.start { return false }
    if let leftAt, leftAt < end { return false }
    if let comeback = comebacks.first, comeback.leftAt < end { return false }
    return !changes.contains { $0.at < end }
  }
}

extension DayWindow {
  /// Whether the user's day `window` is the one that was closed with this zone's own.
  fileprivate func holds(_ window: DayWindow) -> Bool {
    day == window.day && end >= window.end && start < window.end
  }

  /// Whether this lasts less long than `own`.
  fileprivate func isShorter(than own: DayWindow) -> Bool {
    end.seconds(since: start) < own.end.seconds(since: own.start)
  }
}
