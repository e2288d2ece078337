import CivilTime
import Evidence
public import RewardRules

extension Account {
  /// Moves the boundary to `end`, the end of `day`, and takes what was open up to there into `state`.
  ///
  /// `caps` gives the level table in force on a day.
  mutating func settle(through day: Day, end: Instant, caps: (Day) -> [Int64]) {
    settleStreak(through: day)
    for credit in credits where credit.effective < end {
      state.take(credit, caps: caps(day))
    }
    credits.removeAll { $0.effective < end }
    for grant in grants where grant.day <= day { state.take(grant, caps: caps(grant.day)) }
    grants.removeAll { $0.day <= day && !$0.isDormant }
    settleLevels(caps: caps(day))
    unknowns.removeAll { $0.day <= day }
    settleEvidence(through: day, end: end)
  }

  /// Notes that evidence of `kind` stands for a closed day.
  mutating func noteEvidence(of kind: ActivityKind, onClosed day: Day) {
    let age = boundaryDay.number - day.number
    if (0..<64).contains(age) { evidenceDays[Int(kind.rawValue)] |= 1 << UInt64(age) }
  }

  /// Takes the rewards of levels that are reached by now, whatever day they were granted for: an earlier fact that
  /// arrived late may have lifted the level before that day, and no later day lifts it again.
  mutating func settleLevels(caps: [Int64]) {
    while let index = grants.firstIndex(where: { $0.rewardsLevel(upTo: state.level) }) {
      let grant = grants.remove(at: index)
      state.take(grant, caps: caps)
    }
  }

  /// The streak after `day`: each counted day by its login grant, each other by its mark.
  private mutating func settleStreak(through day: Day) {
    var settled = marks.filter { $0.day <= day }
    for grant in grants where grant.day <= day {
      guard let mark = grant.streak else { continue }
      settled.removeAll { $0.day == grant.day }
      settled.append(DayMark(day: grant.day, what: nil, after: mark))
    }
    for mark in settled.sorted(by: { $0.day < $1.day }) {
      state.streak.length = mark.after.length
      state.streak.cycleDay = mark.after.cycleDay
      state.streak.longest = max(state.streak.longest, mark.after.length)
      if mark.what == nil { state.streak.lastDay = mark.day }
    }
    marks.removeAll { $0.day <= day }
  }

  private mutating func settleEvidence(through day: Day, end: Instant) {
    let shift = UInt64(max(0, day.number - boundaryDay.number))
    let closed = DayWindow(day: day, start: boundary, end: end)
    for kind in ActivityKind.allCases {
      let days = evidenceDays[Int(kind.rawValue)]
      evidenceDays[Int(kind.rawValue)] = shift < 64 ? days << shift : 0
    }
    noteIfOdd(day, end: end)
    boundary = end
    boundaryDay = day
    for item in evidence
    where item.activity.effective(in: closed, counting: .overlaps) != nil {
      noteEvidence(of: item.activity.kind, onClosed: day)
    }
    refusals = []
    evidence.removeAll { $0.activity.to <= end && $0.activity.from < end }
    lateEvidence.removeAll { $0.from < end.adding(seconds: -64 * 86_400) }
  }

  private mutating func noteIfOdd(_ day: Day, end: Instant) {
    oddDays.removeAll { $0.day < day.adding(days: -64) }
    let isUsual = end.seconds(since: boundary) == 86_400 && day == boundaryDay.adding(days: 1)
    if isUsual { return }
    oddDays.append(OddDay(day: day, dayBefore: boundaryDay, start: boundary, end: end))
  }

  /// Notes what became of the streak on a day; the last word counts.
  mutating func mark(_ mark: DayMark) {
    marks.removeAll { $0.day == mark.day }
    marks.append(mark)
  }

  /// Notes that a mission of an open day is recorded as unknown.
  mutating func markUnknown(_ kind: ActivityKind, on day: Day) {
    if let index = unknowns.firstIndex(where: { $0.day == day }) {
      unknowns[index].kinds.insert(kind)
    } else {
      unknowns.append(DayKinds(day: day, kinds: KindSet(kind)))
    }
  }
}

extension StandingGrant {
  /// Whether this is the reward of `level` or of one below.
  fileprivate func rewardsLevel(upTo level: Int32) -> Bool {
    if case .level(let number) = key { number <= level && !isDormant } else { false }
  }
}

extension AccountState {
  /// Takes what stands under a key into the state; of what was taken back only that nothing is given under its key again.
  public mutating func take(_ grant: StandingGrant, caps: [Int64]) {
    // What was adjusted to nothing may be reached again.
    if case .level(let level) = grant.key, grant.net.isSomething {
      rewardedLevels |= 1 << UInt32(level)
    }
    if grant.isReversed { return }
    apply(exp: grant.net.exp, caps: caps)
    owned.formUnion(grant.net.items)
    if let booster = grant.net.booster {
      boosterUntil = max(boosterUntil ?? booster.until, booster.until)
    }
  }

  /// Takes what the user got elsewhere into the state.
  mutating func take(_ credit: Credit, caps: [Int64]) {
    apply(exp: credit.exp, caps: caps)
    owned.formUnion(credit.items)
  }
}
