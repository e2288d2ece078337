import CivilTime
import Evidence
import RewardRules

/// One account as a part of a snapshot.
enum AccountSnapshot {
  /// What an account is read into.
  static var blank: Account {
    Account(id: "", zone: 0, boundary: .earliest, boundaryDay: Day(number: 0))
  }

  /// Writes an account, or reads one into its place.
  static func code(
    _ account: inout Account, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    var rare = account.rareParts
    try coder.code(&account.id)
    try coder.code(&account.zone)
    try coder.code(&rare.leftAt)
    try coder.code(&rare.plannedThrough)
    let noComeback = Comeback(knownAt: .earliest, leftAt: .earliest, from: .earliest, zone: 0)
    try coder.code(&rare.comebacks, blank: noComeback) {
      (coder, comeback) throws(SnapshotError) in
      var (knownAt, zone) = (comeback.knownAt, comeback.zone)
      var (leftAt, from) = (comeback.leftAt, comeback.from)
      try coder.code(&knownAt)
      try coder.code(&leftAt)
      try coder.code(&from)
      try coder.code(&zone)
      comeback = Comeback(knownAt: knownAt, leftAt: leftAt, from: from, zone: zone)
    }
    try coder.code(&account.boundary)
    try coder.code(&account.boundaryDay)
    try coder.code(&account.firstDay)
    try coder.code(&account.firstInstant)
    try coder.code(&account.absences, blank: Absence(from: .earliest, to: .earliest)) {
      (coder, absence) throws(SnapshotError) in
      var (from, to) = (absence.from, absence.to)
      try coder.code(&from)
      try coder.code(&to)
      absence = Absence(from: from, to: to)
    }
    try coder.code(&rare.amended)
    try coder.code(&rare.late, blank: LateFacts(from: .earliest, seq: 0)) {
      (coder, late) throws(SnapshotError) in
      try coder.code(&late.from)
      try coder.code(&late.seq)
    }
    var recentDays = Array(account.recentDays)
    try coder.code(&recentDays, blank: RecentDay(day: account.firstDay, start: .earliest)) {
      (coder, recent) throws(SnapshotError) in
      var (day, start) = (recent.day, recent.start)
      try coder.code(&day)
      try coder.code(&start)
      recent = RecentDay(day: day, start: start)
    }
    account.recentDays = RecentDays(recentDays)
    try coder.code(&rare.refusals)
    try coder.code(&rare.changes, blank: ZoneChange(at: .earliest, zone: "")) {
      (coder, change) throws(SnapshotError) in
      var (at, zone) = (change.at, change.zone)
      try coder.code(&at)
      try coder.code(&zone)
      change = ZoneChange(at: at, zone: zone)
    }
    try account.state.code(&coder)
    try coder.code(&account.points)
    try coder.code(&account.coins)
    try codeOpenDays(of: &account, &rare, &coder)
    try coder.code(&rare.creditIDs)
    try coder.code(&rare.manualIDs)
    try coder.code(&rare.heldBack)
    try coder.code(&rare.released)
    try coder.code(&account.recordedLevel)
    try coder.code(&account.warnedDay, blank: account.firstDay) {
      (coder, day) throws(SnapshotError) in try coder.code(&day)
    }
    try coder.code(&rare.stopped)
    account.rareParts = rare
  }

  private static func codeOpenDays(
    of account: inout Account, _ rare: inout RareParts, _ coder: inout some SnapshotCoder
  ) throws(SnapshotError) {
    let blank = StandingGrant(
      text: "", key: nil, day: account.firstDay, effective: .earliest, net: Reward(), streak: nil)
    try coder.code(&account.grants.open, blank: blank) { (coder, grant) throws(SnapshotError) in
      try grant.code(&coder)
    }
    try coder.code(
      &account.grants.closedLevels,
      blank: ClosedLevel(level: 0, adjustments: 0, isVoid: false, isReversed: false)
    ) { (coder, closed) throws(SnapshotError) in
      var level = closed.level
      try coder.code(&level)
      try coder.code(&closed.adjustments)
      try coder.code(&closed.isVoid)
      try coder.code(&closed.isReversed)
      closed = ClosedLevel(
        level: level, adjustments: closed.adjustments, isVoid: closed.isVoid,
        isReversed: closed.isReversed)
    }
    let noStreak = StreakMark(length: 0, cycleDay: 0)
    try coder.code(
      &account.marks, blank: DayMark(day: account.firstDay, what: nil, after: noStreak)
    ) {
      (coder, mark) throws(SnapshotError) in
      try coder.code(&mark.day)
      var what = mark.what?.rawValue ?? ""
      try coder.code(&what)
      mark.what = StreakChange(rawValue: what)
      try mark.after.code(&coder)
    }
    let activity = Activity(kind: .login, from: .earliest, to: .earliest)
    let evidence = RecordedEvidence(activity: activity, source: .inbox, seq: 0)
    try coder.code(&account.evidence, blank: evidence) { (coder, item) throws(SnapshotError) in
      var (activity, source, seq) = (item.activity, item.source, item.seq)
      try activity.code(&coder)
      try coder.code(&source)
      try coder.code(&seq)
      item = RecordedEvidence(activity: activity, source: source, seq: seq)
    }
    let credit = Credit(effective: .earliest, exp: 0, items: [])
    try coder.code(&rare.credits, blank: RecordedCredit(credit: credit, seq: 0)) {
      (coder, item) throws(SnapshotError) in
      var (at, exp, items) = (item.credit.effective, item.credit.exp, item.credit.items)
      var seq = item.seq
      try coder.code(&at)
      try coder.code(&exp)
      try coder.code(&items)
      try coder.code(&seq)
      item = RecordedCredit(credit: Credit(effective: at, exp: exp, items: items), seq: seq)
    }
    try coder.code(&rare.unknowns, blank: DayKinds(day: account.firstDay, kinds: [])) {
      (coder, unknown) throws(SnapshotError) in
      try coder.code(&unknown.day)
      try coder.code(&unknown.kinds)
    }
  }
}

extension Activity {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    var (kind, from, to, isOpen) = (kind, from, to, isOpen)
    try coder.code(&kind)
    try coder.code(&from)
    try coder.code(&to)
    try coder.code(&isOpen)
    self = Activity(kind: kind, from: from, to: to, isOpen: isOpen)
  }
}

extension StreakMark {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    try coder.code(&length)
    try coder.code(&cycleDay)
  }
}

extension AccountState {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    try coder.code(&level)
    try coder.code(&exp)
    try coder.code(&owned)
    try coder.code(&boosterUntil)
    try coder.code(&boosterPause)
    try coder.code(&streak.length)
    try coder.code(&streak.cycleDay)
    try coder.code(&streak.longest)
    try coder.code(&streak.lastDay, blank: Day(number: 0)) { (coder, day) throws(SnapshotError) in
      try coder.code(&day)
    }
  }
}

extension StandingGrant {
  fileprivate mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    var text = text
    try coder.code(&text)
    if text != self.text {
      self = StandingGrant(
        text: text, key: RewardKey(text: text), day: day, effective: effective, net: net,
        streak: nil)
    }
    try coder.code(&day)
    try coder.code(&effective)
    try coder.code(&net.points)
    try coder.code(&net.baseExp)
    try coder.code(&net.multiplier)
    try coder.code(&net.exp)
    try coder.code(&net.coins)
    try coder.code(&net.items)
    try coder.code(&net.booster)
    try coder.code(&adjustments)
    try coder.code(&isVoid)
    try coder.code(&isReversed)
    try coder.code(&reversedBy)
    try coder.code(&isSettled)
    try coder.code(&evidence)
    try coder.code(&streak, blank: StreakMark(length: 0, cycleDay: 0)) {
      (coder, mark) throws(SnapshotError) in try mark.code(&coder)
    }
  }
}
