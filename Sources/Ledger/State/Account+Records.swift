public import CivilTime
import Evidence
import RewardRules

/// What single records change of an account, and of the history beside it where one is kept.
extension Account {
  /// Takes in what a record about this user says: all but moves and closes.
  ///
  /// `rules` are those in use before the record.
  public mutating func apply(
    _ body: RecordBody, seq: UInt64, _ rules: RuleHistory, _ history: inout AccountHistory?
  ) {
    switch body {
    case .evidence(let record): apply(record, seq: seq, &history)
    case .credit(let record): apply(record, seq: seq, &history)
    case .grant(let record): apply(record, seq: seq, caps: rules.caps(on: record.day), &history)
    case .streak(let record): apply(record, seq: seq, &history)
    case .level(let record): apply(record, seq: seq, &history)
    case .unknown(let record): apply(record, &history)
    case .reversal(let record): apply(record, seq: seq, caps: rules.caps(on: boundaryDay), &history)
    case .refused(let record): apply(record, seq: seq, &history)
    case .operator(let act):
      if act.act == .release, let key = RewardKey(text: act.subject) { release(key) }
    case .genesis, .user, .rules, .close, .excuse, .run, .seal: break
    }
  }

  /// Takes evidence in. What touches closed days came late for them.
  private mutating func apply(
    _ record: EvidenceRecord, seq: UInt64, _ history: inout AccountHistory?
  ) {
    let evidence = RecordedEvidence(activity: record.activity, seq: seq)
    history?.evidence.append(evidence)
    if record.activity.from < boundary { noteLate(at: record.activity.from, seq: seq) }
    if evidence.activity.isRemembered(from: remembersFrom) { self.evidence.append(evidence) }
  }

  /// Takes in what the user got elsewhere. On a closed day it takes effect by a plan only.
  private mutating func apply(_ record: CreditRecord, seq: UInt64, _ history: inout AccountHistory?)
  {
    if let id = record.id { creditIDs.insert(id) }
    let credit = RecordedCredit(
      credit: Credit(effective: record.effective, exp: record.exp, items: record.items), seq: seq)
    history?.credits.append(credit)
    if record.effective < boundary {
      // What came while the user was away counts to the day of leaving.
      noteLate(at: min(record.effective, recentDays.last?.start ?? record.effective), seq: seq)
    } else {
      credits.append(credit)
    }
  }

  /// Notes a fact that came after its day was closed.
  mutating func noteLate(at instant: Instant, seq: UInt64) {
    late = LateFacts(from: min(late?.from ?? instant, instant), seq: seq)
  }

  /// Takes a grant or an adjustment in.
  private mutating func apply(
    _ grant: GrantRecord, seq: UInt64, caps: [Int64], _ history: inout AccountHistory?
  ) {
    points = points.addingSaturated(grant.reward.points)
    coins = coins.addingSaturated(grant.reward.coins)
    // What is waived before the first judged day is over stands before that day: it is settled with it.
    let isLate = grant.day <= boundaryDay && grant.day >= firstDay
    if isLate {
      amended = seq
      if let streak = grant.streak { repairStreak(on: grant.day, to: streak, counts: true) }
    }
    if grant.isAdjustment {
      adjust(grant.baseKey, by: grant, caps: caps, &history)
    } else {
      add(grant, isLate: isLate, caps: caps, &history)
    }
    take(grant.settled, seq, &history)
  }

  private mutating func add(
    _ grant: GrantRecord, isLate: Bool, caps: [Int64], _ history: inout AccountHistory?
  ) {
    let key = RewardKey(text: grant.key)
    var standing = StandingGrant(
      text: grant.key, key: key, day: grant.day, effective: grant.effective, net: grant.reward,
      streak: grant.streak)
    standing.evidence = grant.evidence.first ?? 0
    if openGrant(grant.key, of: grant) != nil || !notes(HandKey(text: grant.key)) {
      stopped = "two grants stand under the key \(grant.key)"
    } else if isLate {
      state.take(standing, caps: caps)
      close(standing, &history)
    } else {
      grants.append(standing)
      if let key { heldBack.remove(key) }
    }
  }

  /// Adds an adjustment to what stands under the key `text`, in the open grants or in the settled state.
  private mutating func adjust(
    _ text: String, by grant: GrantRecord, caps: [Int64], _ history: inout AccountHistory?
  ) {
    let level = closedLevels.firstIndex { $0.text(of: id) == text }
    if let level, grant.day > boundaryDay { reopen(level, text, &history) }
    if let index = openGrant(text, of: grant) {
      if grants[index].isSettled { settle(grant, caps: caps) }
      return grants[index].add(grant)
    }
    settle(grant, caps: caps)
    if let place = history?.grant(text) { history?.grants[place].add(grant) }
    guard let level else { return }
    closedLevels[level].adjustments = Int32(clamping: grant.adjustment ?? 0)
    closedLevels[level].isVoid = grant.isVoid
  }

  /// Puts the reward of a level that was void on closed days among the open grants: it is reached again on an open day.
  private mutating func reopen(_ index: Int, _ text: String, _ history: inout AccountHistory?) {
    let closed = closedLevels.remove(at: index)
    // The same whether the past is kept or not: a plan that is worked out on the one is compared with the other.
    if let place = history?.grant(text) { history?.grants.remove(at: place) }
    grants.append(StandingGrant(closed, user: id, at: boundary, day: boundaryDay))
  }

  /// Takes an adjustment of what is settled into the state.
  private mutating func settle(_ grant: GrantRecord, caps: [Int64]) {
    state.apply(exp: grant.reward.exp, caps: caps)
    // What the user loses by it stands on the last record of the change: another key may have brought it meanwhile.
    state.owned.formUnion(grant.reward.items)
    if let booster = grant.reward.booster { state.add(booster, at: grant.effective) }
  }

  /// The open grant under a grant's base key `text`. Days are compared before texts: a long past is not searched text by
  /// text for each of its grants.
  private func openGrant(_ text: String, of grant: GrantRecord) -> Int? {
    // A level may be reached again on another day.
    let mayBeAnyDay = grant.mission == "level"
    return grants.firstIndex { (mayBeAnyDay || $0.day == grant.day) && $0.text == text }
  }

  /// Notes a grant by hand; false when one stands under that key already. Whatever else it is, is not its business.
  private mutating func notes(_ key: HandKey?) -> Bool {
    guard case .manual(let id) = key else { return true }
    return manualIDs.insert(id).inserted
  }

  /// Takes over what a change of closed days leaves: the state behind the last of them, as a whole.
  private mutating func take(
    _ settled: SettledChange?, _ seq: UInt64, _ history: inout AccountHistory?
  ) {
    guard let settled else { return }
    amended = seq
    state.owned.subtract(settled.lost)
    state.owned.formUnion(settled.gained)
    state.boosterUntil = settled.boosterUntil
    state.boosterPause = settled.boosterPause
    guard let standing = settled.standing else { return }
    state.level = standing.level
    state.exp = standing.exp
    state.streak = standing.streak
    for index in grants.indices {
      if let level = grants[index].level {
        grants[index].isSettled = standing.rewardedLevels.contains(Int32(level))
      }
    }
    guard let days = settled.days else { return }
    history?.bringIn(days, through: settled.through)
    if days.lowerBound <= firstDay, days.upperBound >= boundaryDay {
      plannedThrough = max(plannedThrough, settled.through)
    }
    if let late, late.isCovered(by: days, through: settled.through, lastClosed: boundaryDay) {
      self.late = nil
    }
  }

  /// Notes a level that was reached, or takes a correction over.
  private mutating func apply(_ level: LevelRecord, seq: UInt64, _ history: inout AccountHistory?) {
    recordedLevel = max(recordedLevel, level.level)
    if let exp = level.exp, level.effective == boundary {
      amended = seq
      state.level = level.level
      state.exp = exp
    }
    take(level.settled, seq, &history)
  }

  /// Takes in what became of the streak on a day.
  private mutating func apply(_ record: StreakRecord, seq: UInt64, _ history: inout AccountHistory?)
  {
    let mark = DayMark(day: record.day, what: record.what, after: record.after)
    if record.day > boundaryDay {
      marks.removeAll { $0.day == mark.day }
      marks.append(mark)
    } else if record.what == .repaired {
      amended = seq
      history?.marks[mark.day] = mark
      repairStreak(on: record.day, to: record.after, counts: false)
    }
    take(record.settled, seq, &history)
  }

  /// Takes over how the streak stands after a closed day; only the last closed day's is the one that goes on.
  private mutating func repairStreak(on day: Day, to mark: StreakMark, counts: Bool) {
    state.streak.longest = max(state.streak.longest, mark.length)
    if counts { state.streak.lastDay = max(state.streak.lastDay ?? day, day) }
    guard day == boundaryDay else { return }
    state.streak.length = mark.length
    state.streak.cycleDay = mark.cycleDay
  }

  /// Takes a grant back, or undoes that.
  ///
  /// The day of an open grant is judged anew; what a closed one leaves is told by the record.
  private mutating func apply(
    _ reversal: ReversalRecord, seq: UInt64, caps: [Int64], _ history: inout AccountHistory?
  ) {
    amended = seq
    points = points.addingSaturated(reversal.reward.points)
    coins = coins.addingSaturated(reversal.reward.coins)
    let open = grants.firstIndex { $0.text == reversal.key }
    if let open { grants[open].reverse(by: reversal) }
    if open.map({ grants[$0].isSettled }) ?? true {
      state.apply(exp: reversal.reward.exp, caps: caps)
      state.owned.formUnion(reversal.reward.items)
    }
    if let place = history?.grant(reversal.key) { history?.grants[place].reverse(by: reversal) }
    if let level = closedLevels.firstIndex(where: { $0.text(of: id) == reversal.key }) {
      closedLevels[level].isReversed = !reversal.undone
    }
    take(reversal.settled, seq, &history)
  }

  /// Lets a grant through that a limit holds back.
  private mutating func release(_ key: RewardKey) {
    heldBack.remove(key)
    released.insert(key)
  }

  /// Takes in that something about the user was not accepted.
  private mutating func apply(
    _ refused: RefusedRecord, seq: UInt64, _ history: inout AccountHistory?
  ) {
    switch refused.what {
    case .heldBack:
      guard let key = refused.key.flatMap({ RewardKey(text: $0) }) else { break }
      heldBack.insert(key)
      // The day counts although its reward waits.
      if case .login(let day) = key, let streak = refused.streak {
        let mark = DayMark(day: day, what: nil, after: streak)
        if day > boundaryDay {
          marks.removeAll { $0.day == day }
          marks.append(mark)
        } else {
          history?.marks[day] = mark
        }
      }
    case .keyConflict: stopped = refused.detail
    case .badEvidence, .lyingAnswer, .lateEvidence: refusals.insert(refused.detail)
    }
    take(refused.settled, seq, &history)
  }

  /// Notes that a kind of a day is recorded as unknown.
  private mutating func apply(_ record: UnknownRecord, _ history: inout AccountHistory?) {
    history?.unknowns[record.day, default: []].insert(record.mission)
    history?.gaps[record.day, default: []] += record.gaps
    if let index = unknowns.firstIndex(where: { $0.day == record.day }) {
      unknowns[index].kinds.insert(record.mission)
    } else if record.day > boundaryDay {
      unknowns.append(DayKinds(day: record.day, kinds: KindSet(record.mission)))
    }
  }
}

extension Account {
  /// Notes a grant as one of a closed day.
  mutating func close(_ grant: StandingGrant, _ history: inout AccountHistory?) {
    if let level = grant.level {
      closedLevels.append(
        ClosedLevel(
          level: Int32(level), adjustments: Int32(clamping: grant.adjustments),
          isVoid: grant.isVoid, isReversed: grant.isReversed))
    }
    history?.grants.append(grant)
  }
}

extension ClosedLevel {
  /// The key's text for one user.
  func text(of user: String) -> String { RewardKey.level(Int(level)).text(user: user) }
}

extension StandingGrant {
  /// What stands under the key of a closed level's reward that is void: nothing, and a number of adjustments.
  public init(_ closed: ClosedLevel, user: String, at effective: Instant, day: Day) {
    let key = RewardKey.level(Int(closed.level))
    self.init(
      text: key.text(user: user), key: key, day: day, effective: effective, net: Reward(),
      streak: nil)
    adjustments = Int(closed.adjustments)
    isVoid = closed.isVoid
    isReversed = closed.isReversed
  }

  /// Takes the grant back, or undoes that.
  fileprivate mutating func reverse(by reversal: ReversalRecord) {
    isReversed = !reversal.undone
    reversedBy = reversal.undone ? nil : reversal.plan
  }
}

extension LateFacts {
  /// Whether a plan for `days`, which brought in all facts up to the line `through`, leaves nothing of these: true only when
  /// that is certain whatever the user's zones.
  fileprivate func isCovered(by days: ClosedRange<Day>, through: UInt64, lastClosed: Day) -> Bool {
    let earliest = Day(number: Int32(clamping: from.seconds / 86_400 - 2))
    return seq <= through && days.lowerBound <= earliest && days.upperBound >= lastClosed
  }
}

extension Activity {
  /// Whether it reaches beyond `start`.
  func isRemembered(from start: Instant) -> Bool { to > start || from >= start }
}
