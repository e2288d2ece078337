internal import CivilTime
internal import Evidence
internal import RewardRules

/// Applies one record about a user to the user's account, and to the history beside it if one is kept.
///
/// A ``UserTable`` applies moves and closes itself.
public struct RecordFold {
  private let seq: UInt64
  private let rules: RuleHistory

  /// Creates the fold of the record with the sequence number `seq`; `rules` are those in use before it.
  public init(seq: UInt64, _ rules: RuleHistory) {
    self.seq = seq
    self.rules = rules
  }

  /// Applies `body` to the account of its user.
  public func apply(
    _ body: RecordBody, to account: inout Account, _ history: inout AccountHistory?
  ) {
    if history?.forgotten != nil { history?.noteConcern(of: body, account) }
    switch body {
    case .evidence(let record): apply(record, &account, &history)
    case .credit(let record): apply(record, &account, &history)
    case .grant(let record): apply(record, &account, &history)
    case .streak(let record): apply(record, &account, &history)
    case .level(let record): apply(record, &account, &history)
    case .unknown(let record): apply(record, &account, &history)
    case .reversal(let record): apply(record, &account, &history)
    case .refused(let record): apply(record, &account, &history)
    case .message(let record):
      if record.what == .streakAtRisk { account.warnedDay = record.day }
    case .operator(let act):
      if act.act == .release, let key = RewardKey(text: act.subject) { release(key, &account) }
    case .genesis, .user, .rules, .close, .excuse, .run, .seal: break
    }
  }

  /// Applies evidence. If it touches closed days, it is late for them.
  private func apply(
    _ record: EvidenceRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    let evidence = RecordedEvidence(
      activity: record.activity, source: record.source, seq: seq)
    history?.evidence.append(evidence)
    if record.activity.from < account.boundary {
      account.markLate(at: record.activity.from, seq: seq)
    }
    if evidence.activity.isRemembered(from: account.remembersFrom) {
      account.evidence.append(evidence)
    }
  }

  /// Applies a credit from elsewhere. What it changes on a closed day takes effect only through a plan.
  private func apply(
    _ record: CreditRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    if let id = record.exactID { account.creditIDs[id] = record.credit.fingerprint }
    account.holdings.credit(record.credit.amounts)
    if !record.credit.items.isEmpty { account.creditedItems.formUnion(record.credit.items) }
    guard record.credit.changesDays else { return }
    let credit = RecordedCredit(
      credit: record.credit.counted(from: account.firstInstant), seq: seq)
    history?.credits.append(credit)
    let start = credit.credit.effective
    if start < account.boundary {
      // A credit during the user's absence counts to the day of leaving.
      let lastDay = account.recentDays.last?.start ?? start
      account.markLate(at: min(start, lastDay), seq: seq)
    } else {
      account.credits.append(credit)
    }
  }

  /// Applies a grant or an adjustment.
  private func apply(
    _ grant: GrantRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    account.holdings.earned += grant.reward.amounts
    if let booster = grant.reward.booster {
      account.boosterSeconds += booster.until.seconds(since: booster.from)
      account.grantedBoosterUntil = max(account.grantedBoosterUntil ?? .earliest, booster.until)
    }
    // A waiver from before the first judged day has ended stands before that day and is closed with it.
    let isLate = grant.day <= account.boundaryDay && grant.day >= account.firstDay
    if isLate {
      account.amended = seq
      if let streak = grant.streak {
        repairStreak(of: &account, on: grant.day, to: streak, counts: true)
      }
    }
    if grant.isFor(.login) { count(grant, &account) }
    if grant.isAdjustment {
      adjust(by: grant, &account, &history)
    } else {
      add(grant, isLate: isLate, &account, &history)
    }
    adopt(grant.settled, &account, &history)
  }

  /// Counts a day's login while its reward is required.
  private func count(_ login: GrantRecord, _ account: inout Account) {
    if !login.isAdjustment {
      account.logins += 1
    } else if login.isVoid != account.voidedLogins.contains(login.day) {
      if login.isVoid {
        account.voidedLogins.append(login.day)
      } else {
        account.voidedLogins.removeAll { $0 == login.day }
      }
      account.logins += login.isVoid ? -1 : 1
    }
  }

  private func add(
    _ grant: GrantRecord, isLate: Bool, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    let key = RewardKey(text: grant.key)
    var standing = StandingGrant(
      text: grant.key, key: key, day: grant.day, effective: grant.effective, net: grant.reward,
      streak: grant.streak)
    standing.evidence = grant.evidence.first ?? 0
    if account.grants.openIndex(grant.key, of: grant) != nil
      || !note(HandKey(text: grant.key), &account)
    {
      account.stopped = "two grants stand under the key \(grant.key)"
    } else if isLate {
      account.state.apply(standing, caps: rules.caps(on: grant.day))
      account.close(standing, &history)
    } else {
      account.grants.open.append(standing)
      if let key, !account.heldBack.isEmpty { account.heldBack.remove(key) }
    }
  }

  /// Adds an adjustment to what stands under its key, among the open grants or in the state of closed days.
  private func adjust(
    by grant: GrantRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    let text = grant.baseKey
    let level = account.grants.closedIndex(text, of: account.id)
    if let level, grant.day > account.boundaryDay {
      // Done whether or not the past is kept, because plans made with and without it must agree.
      if let place = history?.grant(text) { history?.grants.remove(at: place) }
      account.grants.reopen(
        level, of: account.id, at: account.boundary, day: account.boundaryDay)
    }
    if let index = account.grants.openIndex(text, of: grant) {
      if account.grants.open[index].isSettled { settle(grant, &account.state) }
      return account.grants.open[index].add(grant)
    }
    settle(grant, &account.state)
    if let place = history?.grant(text) { history?.grants[place].add(grant) }
    guard let level else { return }
    account.grants.closedLevels[level].adjustments = Int32(clamping: grant.adjustment ?? 0)
    account.grants.closedLevels[level].isVoid = grant.isVoid
  }

  /// Merges an adjustment of a settled grant into the state.
  private func settle(_ grant: GrantRecord, _ state: inout AccountState) {
    state.apply(exp: grant.reward.exp, caps: rules.caps(on: grant.day))
    // Items taken back are on the last record of the change, because another key may have given them in the meantime.
    state.owned.formUnion(grant.reward.items)
    if let booster = grant.reward.booster { state.add(booster, at: grant.effective) }
  }

  /// Records a manual grant; returns false if its key is already used. Ignores other keys.
  private func note(_ key: HandKey?, _ account: inout Account) -> Bool {
    guard case .manual(let id) = key else { return true }
    return account.manualIDs.insert(id).inserted
  }

  /// Applies the whole state that a change of closed days leaves after the last of them.
  private func adopt(
    _ settled: SettledChange?, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    guard let settled else { return }
    account.amended = seq
    account.state.owned.subtract(settled.lost)
    account.state.owned.formUnion(settled.gained)
    account.state.boosterUntil = settled.boosterUntil
    account.state.boosterPause = settled.boosterPause
    guard let standing = settled.standing else { return }
    account.state.level = standing.level
    account.state.exp = standing.exp
    account.state.streak = standing.streak
    account.grants.settle(standing.rewardedLevels)
    guard let days = settled.days else { return }
    history?.bringIn(days, through: settled.through)
    account.bringIn(days, through: settled.through)
  }

  /// Applies a level reached, or a correction.
  private func apply(
    _ level: LevelRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    account.recordedLevel = max(account.recordedLevel, level.level)
    if let exp = level.exp, level.effective == account.boundary {
      account.amended = seq
      account.state.level = level.level
      account.state.exp = exp
    }
    adopt(level.settled, &account, &history)
  }

  /// Applies a day's effect on the streak.
  private func apply(
    _ record: StreakRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    let isOpen = record.day > account.boundaryDay
    if isOpen || record.what == .repaired {
      note(DayMark(day: record.day, what: record.what, after: record.after), &account, &history)
    }
    if !isOpen, record.what == .repaired {
      account.amended = seq
      repairStreak(of: &account, on: record.day, to: record.after, counts: false)
    }
    adopt(record.settled, &account, &history)
  }

  /// Records the streak after a day that has no login grant: of an open day in the account, of a closed one in the past.
  private func note(_ mark: DayMark, _ account: inout Account, _ history: inout AccountHistory?) {
    guard mark.day > account.boundaryDay else {
      history?.marks[mark.day] = mark
      return
    }
    account.marks.removeAll { $0.day == mark.day }
    account.marks.append(mark)
  }

  /// Applies the streak after a closed day. Only the last closed day's streak continues.
  private func repairStreak(
    of account: inout Account, on day: Day, to mark: StreakMark, counts: Bool
  ) {
    account.state.streak.longest = max(account.state.streak.longest, mark.length)
    if counts {
      account.state.streak.lastDay = max(account.state.streak.lastDay ?? day, day)
    }
    guard day == account.boundaryDay else { return }
    account.state.streak.length = mark.length
    account.state.streak.cycleDay = mark.cycleDay
  }

  /// Applies a reversal or its undoing.
  ///
  /// The day of an open grant is judged again; for a closed one, the record states the result.
  private func apply(
    _ reversal: ReversalRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    account.amended = seq
    account.holdings.earned += reversal.reward.amounts
    let open = account.grants.open.firstIndex { $0.text == reversal.key }
    if let open { account.grants.open[open].reverse(by: reversal) }
    if open.map({ account.grants.open[$0].isSettled }) ?? true {
      account.state.apply(exp: reversal.reward.exp, caps: rules.caps(on: account.boundaryDay))
      account.state.owned.formUnion(reversal.reward.items)
    }
    if let place = history?.grant(reversal.key) { history?.grants[place].reverse(by: reversal) }
    if let level = account.grants.closedIndex(reversal.key, of: account.id) {
      account.grants.closedLevels[level].isReversed = !reversal.undone
    }
    adopt(reversal.settled, &account, &history)
  }

  /// Lets a grant held back by a limit through.
  private func release(_ key: RewardKey, _ account: inout Account) {
    account.heldBack.remove(key)
    account.released.insert(key)
  }

  /// Applies the refusal of something about the user.
  private func apply(
    _ refused: RefusedRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    switch refused.what {
    case .heldBack:
      guard let key = refused.key.flatMap({ RewardKey(text: $0) }) else { break }
      account.heldBack.insert(key)
      // The day counts although its reward waits.
      if case .login(let day) = key, let streak = refused.streak {
        note(DayMark(day: day, what: nil, after: streak), &account, &history)
      }
    case .keyConflict: account.stopped = refused.detail
    case .badEvidence, .lyingAnswer, .lateEvidence: account.refusals.insert(refused.detail)
    }
    adopt(refused.settled, &account, &history)
  }

  /// Records that a kind is unknown on a day.
  private func apply(
    _ record: UnknownRecord, _ account: inout Account, _ history: inout AccountHistory?
  ) {
    history?.unknowns[record.day, default: []].insert(record.mission)
    history?.gaps[record.day, default: []] += record.gaps
    if let index = account.unknowns.firstIndex(where: { $0.day == record.day }) {
      account.unknowns[index].kinds.insert(record.mission)
    } else if record.day > account.boundaryDay {
      account.unknowns.append(DayKinds(day: record.day, kinds: KindSet(record.mission)))
    }
  }
}
