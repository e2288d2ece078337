import CivilTime
internal import Evidence
public import RewardRules

extension Account {
  /// Moves the boundary from the end of `window` to `next`, the start of the first open day, and merges what was open
  /// until then into `state`.
  ///
  /// `window` is the user's day, and `caps` returns the level table in force on a day.
  mutating func settle(
    _ window: DayWindow, next: Instant, caps: (Day) -> [Int64], _ history: inout AccountHistory?
  ) {
    let day = window.day
    settleStreak(through: day, &history)
    let nextDay = nextDay(after: max(window.end, next))
    let credited = credits.isEmpty ? [] : credits.map(\.credit).filter { $0.effective < nextDay }
    for credit in credited { state.apply(credit, caps: caps(day)) }
    if !credited.isEmpty { credits.removeAll { $0.credit.effective < nextDay } }
    settleGrants(
      through: day, caps: caps, bought: credited.filter { $0.boosterDays > 0 }, &history)
    if !unknowns.isEmpty { unknowns.removeAll { $0.day <= day } }
    if !absences.isEmpty { absences.removeAll { $0.to <= next } }
    if !refusals.isEmpty { refusals = [] }
    recentDays.append(RecentDay(day: day, start: window.start))
    state.forgetPause(before: next)
    boundary = next
    boundaryDay = day
    let start = remembersFrom
    if !evidence.isEmpty { evidence.removeAll { !$0.activity.isRemembered(from: start) } }
  }

  /// Merges the grants for days up to `day` into `state`, and the boosters that credits have `bought`.
  private mutating func settleGrants(
    through day: Day, caps: (Day) -> [Int64], bought: [Credit], _ history: inout AccountHistory?
  ) {
    if grants.open.isEmpty, bought.isEmpty { return }
    var boosters: [(window: BoosterWindow, effective: Instant)] = []
    var settled = 0
    var isFirst = true
    for index in grants.open.indices where grants.open[index].day <= day {
      isFirst = isFirst && index == settled
      settled += 1
      let grant = grants.open[index]
      if !grant.isSettled {
        state.applySums(of: grant, caps: caps(grant.day))
        if let booster = grant.standingBooster { boosters.append((booster, grant.effective)) }
      }
      close(grant, &history)
    }
    // One follows another, whatever order the ledger recorded them in. Those bought at the same instant come first.
    var rest = bought.sorted { $0.counts(before: $1) }[...]
    for booster in boosters.sorted(by: { $0.window.from < $1.window.from }) {
      while let credit = rest.first, credit.effective <= booster.effective {
        state.addBooster(of: rest.removeFirst())
      }
      state.add(booster.window, at: booster.effective)
    }
    for credit in rest { state.addBooster(of: credit) }
    // They nearly always come first. Removing a prefix moves the rest at once; `removeAll` swaps them one by one.
    if isFirst { grants.open.removeFirst(settled) } else { grants.open.removeAll { $0.day <= day } }
    // Most grants belong to the day being closed.
    if !grants.open.isEmpty { settleReachedLevels(caps: caps(day)) }
  }

  /// Merges level rewards that stand for open days into `state` if closed days have reached the level, because an
  /// earlier fact lifted it after the reward was granted.
  private mutating func settleReachedLevels(caps: [Int64]) {
    for index in grants.open.indices {
      guard let level = grants.open[index].level, level <= state.level,
        !grants.open[index].isSettled
      else { continue }
      grants.open[index].isSettled = true
      state.apply(grants.open[index], caps: caps)
    }
  }

  /// Merges everything open into `state`, for what the user has now.
  mutating func settleAll(caps: (Day) -> [Int64]) {
    // Counted from the start of the open days, which gives the user's own date except within an hour of a clock change.
    let credited = credits.map { credit in
      let seconds = credit.credit.effective.seconds(since: boundary)
      return boundaryDay.adding(days: Int32(clamping: 1 + max(0, seconds) / 86_400))
    }
    // Day by day, because each may have its own level table.
    if grants.open.count > 1 { grants.open.sort { $0.day < $1.day } }
    let last = (grants.open.map(\.day) + credited).max() ?? boundaryDay
    var noHistory: AccountHistory?
    settle(
      DayWindow(day: Day(number: .max / 2), start: boundary, end: .latest), next: .latest,
      caps: { caps(min($0, last)) }, &noHistory)
  }

  /// Merges the streak up to `day`: for a counted day from its login grant, for any other from its mark.
  private mutating func settleStreak(through day: Day, _ history: inout AccountHistory?) {
    if marks.isEmpty, grants.open.isEmpty { return }
    var settled = marks.isEmpty ? [] : marks.filter { $0.day <= day }
    let told = settled.isEmpty ? [] : Set(settled.map(\.day))
    let open = grants.open
    for index in open.indices where open[index].day <= day && !open[index].isVoid {
      let day = open[index].day
      // A reversed grant is no longer adjusted, so the close states the streak.
      guard let mark = open[index].streak, !(open[index].isReversed && told.contains(day))
      else { continue }
      settled.removeAll { $0.day == day }
      settled.append(DayMark(day: day, what: nil, after: mark))
    }
    for mark in settled.sorted(by: { $0.day < $1.day }) {
      state.streak.length = mark.after.length
      state.streak.cycleDay = mark.after.cycleDay
      state.streak.longest = max(state.streak.longest, mark.after.length)
      if mark.what == nil || mark.what == .repaired { state.streak.lastDay = mark.day }
    }
    for mark in marks where mark.day <= day { history?.marks[mark.day] = mark }
    marks.removeAll { $0.day <= day }
  }

  /// Records a grant as belonging to a closed day.
  mutating func close(_ grant: StandingGrant, _ history: inout AccountHistory?) {
    grants.close(grant)
    history?.grants.append(grant)
  }
}

extension Activity {
  /// Returns whether the activity still matters to days from `start` on.
  func isRemembered(from start: Instant) -> Bool { to > start || from >= start }
}

extension StandingGrant {
  /// The booster standing under the key; nil if it was taken back.
  fileprivate var standingBooster: BoosterWindow? { isReversed ? nil : net.booster }
}

extension AccountState {
  /// Merges the grant standing under a key; a reversed one adds nothing.
  public mutating func apply(_ grant: StandingGrant, caps: [Int64]) {
    applySums(of: grant, caps: caps)
    if let booster = grant.standingBooster { add(booster, at: grant.effective) }
  }

  /// Does the same without the booster.
  fileprivate mutating func applySums(of grant: StandingGrant, caps: [Int64]) {
    if grant.isReversed { return }
    apply(exp: grant.net.exp, caps: caps)
    owned.formUnion(grant.net.items)
  }

  /// Merges a credit from elsewhere, without its booster.
  fileprivate mutating func apply(_ credit: Credit, caps: [Int64]) {
    apply(exp: credit.amounts.exp, caps: caps)
    owned.formUnion(credit.items)
  }
}
