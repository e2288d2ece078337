import CivilTime
import Evidence
import RewardRules

extension Account {
  /// What an account is read into.
  static var blank: Account {
    Account(id: "", zone: 0, boundary: .earliest, boundaryDay: Day(number: 0))
  }

  mutating func code(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    try coder.code(&id)
    try coder.code(&zone)
    try coder.code(&leftAt)
    try coder.code(&plannedThrough)
    let noComeback = Comeback(knownAt: .earliest, leftAt: .earliest, from: .earliest, zone: 0)
    try coder.code(&comebacks, blank: noComeback) {
      (coder, comeback) throws(SnapshotError) in
      var (knownAt, zone) = (comeback.knownAt, comeback.zone)
      var (leftAt, from) = (comeback.leftAt, comeback.from)
      try coder.code(&knownAt)
      try coder.code(&leftAt)
      try coder.code(&from)
      try coder.code(&zone)
      comeback = Comeback(knownAt: knownAt, leftAt: leftAt, from: from, zone: zone)
    }
    try coder.code(&boundary)
    try coder.code(&boundaryDay)
    try coder.code(&firstDay)
    try coder.code(&firstInstant)
    try coder.code(&absences, blank: Absence(from: .earliest, to: .earliest)) {
      (coder, absence) throws(SnapshotError) in
      var (from, to) = (absence.from, absence.to)
      try coder.code(&from)
      try coder.code(&to)
      absence = Absence(from: from, to: to)
    }
    try coder.code(&amended)
    try coder.code(&late, blank: LateFacts(from: .earliest, seq: 0)) {
      (coder, late) throws(SnapshotError) in
      try coder.code(&late.from)
      try coder.code(&late.seq)
    }
    try coder.code(&recentDays, blank: RecentDay(day: firstDay, start: .earliest)) {
      (coder, recent) throws(SnapshotError) in
      var (day, start) = (recent.day, recent.start)
      try coder.code(&day)
      try coder.code(&start)
      recent = RecentDay(day: day, start: start)
    }
    try coder.code(&refusals)
    try coder.code(&changes, blank: ZoneChange(at: .earliest, zone: "")) {
      (coder, change) throws(SnapshotError) in
      var (at, zone) = (change.at, change.zone)
      try coder.code(&at)
      try coder.code(&zone)
      change = ZoneChange(at: at, zone: zone)
    }
    try state.code(&coder)
    try coder.code(&points)
    try coder.code(&coins)
    try codeOpenDays(&coder)
    try coder.code(&creditIDs)
    try coder.code(&manualIDs)
    try coder.code(&heldBack)
    try coder.code(&released)
    try coder.code(&recordedLevel)
    try coder.code(&stopped)
  }

  private mutating func codeOpenDays(_ coder: inout some SnapshotCoder) throws(SnapshotError) {
    let blank = StandingGrant(
      text: "", key: nil, day: firstDay, effective: .earliest, net: Reward(), streak: nil)
    try coder.code(&grants, blank: blank) { (coder, grant) throws(SnapshotError) in
      try grant.code(&coder)
    }
    try coder.code(
      &closedLevels,
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
    try coder.code(&marks, blank: DayMark(day: firstDay, what: nil, after: noStreak)) {
      (coder, mark) throws(SnapshotError) in
      try coder.code(&mark.day)
      var what = mark.what?.rawValue ?? ""
      try coder.code(&what)
      mark.what = StreakChange(rawValue: what)
      try mark.after.code(&coder)
    }
    let activity = Activity(kind: .login, from: .earliest, to: .earliest)
    try coder.code(&evidence, blank: RecordedEvidence(activity: activity, seq: 0)) {
      (coder, item) throws(SnapshotError) in
      var (activity, seq) = (item.activity, item.seq)
      try activity.code(&coder)
      try coder.code(&seq)
      item = RecordedEvidence(activity: activity, seq: seq)
    }
    let credit = Credit(effective: .earliest, exp: 0, items: [])
    try coder.code(&credits, blank: RecordedCredit(credit: credit, seq: 0)) {
      (coder, item) throws(SnapshotError) in
      var (at, exp, items) = (item.credit.effective, item.credit.exp, item.credit.items)
      var seq = item.seq
      try coder.code(&at)
      try coder.code(&exp)
      try coder.code(&items)
      try coder.code(&seq)
      item = RecordedCredit(credit: Credit(effective: at, exp: exp, items: items), seq: seq)
    }
    try coder.code(&unknowns, blank: DayKinds(day: firstDay, kinds: [])) {
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
