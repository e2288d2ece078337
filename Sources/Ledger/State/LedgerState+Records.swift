import CivilTime
import Evidence
import RewardRules

extension LedgerState {
  /// Applies the next record. Ignores records about users outside the state's scope.
  public mutating func apply(_ record: Record) {
    seq = record.seq
    at = record.at
    if case .credit(let credit) = record.body { dayCredits.add(credit, at: at) }
    switch record.body {
    case .genesis(let genesis):
      ledger = genesis.ledger
      isSimulated = genesis.simulated
      undivided = genesis.partOf
    case .user(let user):
      jobs.epoch += 1
      if follows(user.user) { users.apply(user, at: place) }
    case .rules(let rules): apply(rules)
    case .evidence, .credit, .grant, .streak, .level, .unknown, .reversal, .refused, .message:
      if let user = record.body.user {
        users.apply(record.body, about: user, by: RecordFold(seq: seq, rules))
      }
    case .close(let close): apply(close)
    case .excuse(let excuse): apply(excuse)
    case .operator(let act):
      jobs.apply(act, at: at)
      requests.apply(act, at: at)
      hands.note(act, seq: seq, limits ?? HandLimits())
      hands.add(hands.counted(record.body, alone: [:]), at: at)
      apply(act)
    case .run(let run): jobs.apply(run)
    case .seal: break
    }
    requests.use(record.body)
    if record.body.by != nil { addHand(record.body) }
  }

  /// Counts what a record of a hand gives, for the person and for its user.
  private mutating func addHand(_ body: RecordBody) {
    let given = hands.givenAlone(by: body, rules)
    if given.isEmpty { return }
    hands.add(hands.counted(body, alone: given), at: at)
    guard let index = body.user.flatMap({ users.index(of: $0) }) else { return }
    users.accounts[index].hand.add(given, at: at)
  }

  /// The current position in the ledger.
  private var place: UserTable.Place {
    UserTable.Place(
      seq: seq, at: at, rules: rules, close: lastClose?.record, watched: lastClose?.watched)
  }

  private mutating func apply(_ record: RulesRecord) {
    drawKey = record.drawKey
    let lastClosed = closes.values.map(\.last.day).max()
    if record.corrects != nil, let lastClosed, lastClosed >= beginning(of: record) {
      lateForAll = seq
    }
    let text = RuleText(seq: seq, text: record.document, defaults: record.defaults)
    ruleTexts.append(text)
    rules.add(text)
  }

  /// Returns the first day that a correction may judge differently. If it begins later than the document it replaces,
  /// other rules apply to the days between.
  private func beginning(of record: RulesRecord) -> Day {
    var (first, corrected) = (record.effectiveFrom, record.corrects)
    for document in rules.documents.reversed() where document.version == corrected {
      first = min(first, document.effectiveFrom)
      corrected = document.corrects
    }
    return first
  }

  private mutating func apply(_ record: ExcuseRecord) {
    excuses.append(Excuse(seq: seq, record: record))
    guard let names = record.users else {
      if closes.values.contains(where: { $0.last.day >= record.from }) { lateForAll = seq }
      return
    }
    for name in names {
      guard let index = users.index(of: name), users.accounts[index].boundaryDay >= record.from
      else { continue }
      // The instant depends on the user's zone, but a day before the date is certainly early enough.
      let instant = Instant(seconds: Int64(record.from.number - 1) * 86_400)
      users.accounts[index].markLate(at: instant, seq: seq)
    }
  }

  private mutating func apply(_ act: OperatorRecord) {
    switch act.act {
    case .release:
      users.apply(
        .operator(act), about: GrantKey(act.subject).user, by: RecordFold(seq: seq, rules))
    case .acceptClock: acceptedClock = at
    case .confirmClose:
      if let place = ZoneDay(act.subject) { confirmedCloses.insert(place) }
    case .limits: limits = act.limits ?? limits
    case .signers:
      signers = act.signers ?? signers
      requests.forgetSignatures(except: act.request)
    case .sources: sources = act.sources ?? sources
    case .bringIn where act.subject == undivided: undivided = nil
    case .request, .approve, .decline, .grant, .apply, .bringIn, .remove, .deliver, .excuse, .rules,
      .pause, .resume, .schedule, .broadcast, .undoFuture, .forget:
      break
    }
  }

  private mutating func apply(_ close: CloseRecord) {
    let window = close.window
    closes[close.zone, default: ZoneCloses(last: window)].add(
      window, streaks: close.counts.streaks, broken: close.counts.broken)
    confirmedCloses.remove(ZoneDay(close.zone, window.day))
    lastClose = (close, close.watched)
    users.apply(close, at: place)
  }
}
