import CivilTime
import Evidence
import Ledger
import RewardRules

/// Works out what brings one user's closed days to what they should be.
struct BackfillWork {
  /// The records, in the order in which they must be appended.
  private(set) var records: [RecordBody] = []
  /// What an operator should know.
  private(set) var issues: [UserBackfill.Issue] = []

  private let user: String
  private let past: UserPast
  private let context: JudgeContext
  private let terms: BackfillTerms

  /// See ``UserBackfill/init(_:context:terms:acts:holdings:)``.
  init(
    _ past: UserPast, context: JudgeContext, terms: BackfillTerms, acts: [RecordBody],
    holdings: Holdings?
  ) {
    let untouched = past
    var past = past
    records = acts.filter { !past.holds($0) }
    for act in records { past.assume(act) }
    self.past = past
    self.context = context
    self.terms = terms
    user = past.account.id
    guard past.account.stopped == nil else {
      let day = past.account.boundaryDay
      issues = [UserBackfill.Issue(day: day, severity: .warning, text: past.account.stopped ?? "")]
      return
    }
    // Acts do not carry out by the way what a backfill would be asked for, with its look and its waivers.
    let pending =
      records.isEmpty
      ? []
      : BackfillWork(untouched, context: context, terms: terms, acts: [], holdings: nil).records
    if !pending.isEmpty {
      records = []
      issues = [
        UserBackfill.Issue(
          day: past.account.boundaryDay, severity: .warning,
          text: "closed days wait for a backfill; until then nothing that hangs on them is changed")
      ]
      return
    }
    var noTrace: [TraceStep] = []
    let (days, state) = PastJudge(
      past: past, context: context, range: terms.range
    ).judge(into: &noTrace)
    let actCount = records.count
    addGrants(days)
    addHeldBack(days)
    addLevels(days)
    addStreaks(days)
    settle(state, actCount: actCount)
    addWaiver(state, holdings)
    let reached = past.account(after: records, caps: caps).state
    correctStreak(from: reached, to: state)
    correctLevel(from: reached, to: state)
    if !records.isEmpty { addIssues(days) }
  }

  private var cause: String { "backfill:\(terms.plan)" }

  private func version(_ day: Day) -> String { context.rules.rules(on: day)?.version ?? "" }

  private mutating func addGrants(_ days: [PastJudge.JudgedDay]) {
    let boundary = past.account.boundaryDay
    var diff = GrantDiff(
      account: past.reopened, version: version, cause: cause)
    // What stands for open days is the live service's to change.
    diff.mayRetract = { $0.day <= boundary }
    records += diff.records(for: days.flatMap(\.outcome.grants), isComplete: true)
  }

  private mutating func addHeldBack(_ days: [PastJudge.JudgedDay]) {
    for intent in days.flatMap(\.outcome.heldBack)
    where !past.reopened.heldBack.contains(intent.key) {
      records.append(.refused(RefusedRecord(holding: intent, of: user)))
    }
  }

  private mutating func addLevels(_ days: [PastJudge.JudgedDay]) {
    for reached in days.flatMap(\.outcome.levels) where reached.level > past.account.recordedLevel {
      records.append(
        .level(LevelRecord(user: user, level: reached.level, effective: reached.effective)))
    }
  }

  /// Writes down how the streak stands after each day on which it stands otherwise than recorded. What a `login` grant
  /// tells needs no line of its own.
  private mutating func addStreaks(_ days: [PastJudge.JudgedDay]) {
    let recorded = recordedStreaks
    for day in days {
      let before = StreakMark(day.outcome.streakBefore)
      let after = StreakMark(day.outcome.streakAfter)
      // A day of which nothing is told leaves the streak as it is.
      let told = recorded[day.closed.day] ?? before
      let login = day.outcome.grants.contains { $0.key == .login(day.closed.day) }
      if login || (told == after && !isExcusedLate(day)) { continue }
      records.append(
        .streak(
          StreakRecord(
            user: user, day: day.closed.day, what: .repaired, before: before, after: after)))
    }
  }

  /// Whether an excuse that came after the close holds a streak on this day, and no line says so yet: without one nobody
  /// could tell later that it was brought in.
  private func isExcusedLate(_ day: PastJudge.JudgedDay) -> Bool {
    guard day.outcome.streakClass == .excused, day.outcome.streakBefore.length > 0 else {
      return false
    }
    let isMarked = past.reopened.marks.contains { mark in
      mark.day == day.closed.day && (mark.what == .excused || mark.what == .repaired)
    }
    return !isMarked
  }

  /// Says how the streak stands behind the last closed day where the lines about single days do not lead there.
  private mutating func correctStreak(from reached: AccountState, to state: AccountState) {
    let before = StreakMark(reached.streak)
    let due = StreakMark(state.streak)
    guard before != due else { return }
    records.append(
      .streak(
        StreakRecord(
          user: user, day: past.account.boundaryDay, what: .repaired, before: before, after: due)))
  }

  private var caps: (Day) -> [Int64] {
    { [rules = context.rules] day in (rules.rules(on: day) ?? .builtIn).levels.caps }
  }

  /// What the ledger says of the streak after each day: the last line about it counts.
  private var recordedStreaks: [Day: StreakMark] {
    var streaks: [Day: StreakMark] = [:]
    // A login that waits counts as one that was granted.
    for mark in past.reopened.marks where mark.what == nil { streaks[mark.day] = mark.after }
    for grant in past.reopened.grants {
      if case .login(let day) = grant.key, let streak = grant.streak { streaks[day] = streak }
    }
    for mark in past.reopened.marks where mark.what != nil { streaks[mark.day] = mark.after }
    return streaks
  }

  /// Tells on the last grant or reversal what the sums do not: the end of the boosters, and items that are gone.
  private mutating func settle(_ state: AccountState, actCount: Int) {
    guard
      let last = records.lastIndex(where: { body in
        switch body {
        case .grant, .reversal: true
        default: false
        }
      })
    else { return }
    let reached = past.account(after: records, caps: caps)
    // A level's reward may be settled before its day is closed: what stands for open days is told by the opened account.
    var after = past
    for record in records.dropFirst(actCount) { after.assume(record) }
    let early = after.reopened.grants.filter { grant in
      grant.day > past.account.boundaryDay && !grant.isReversed
        && !reached.grants.contains { $0.text == grant.text }
    }
    let lost = reached.state.owned.subtracting(state.owned).subtracting(early.flatMap(\.net.items))
    let boosters = [state.boosterUntil] + early.map(\.net.booster?.until)
    let boosterUntil = boosters.compactMap(\.self).max()
    if boosterUntil == reached.state.boosterUntil && lost.isEmpty { return }
    let settled = SettledChange(boosterUntil: boosterUntil, lost: lost.sorted())
    switch records[last] {
    case .grant(var grant):
      grant.settled = settled
      records[last] = .grant(grant)
    case .reversal(var reversal):
      reversal.settled = settled
      records[last] = .reversal(reversal)
    default: break
    }
  }

  /// Gives back what the user shall not lose over all records.
  private mutating func addWaiver(_ state: AccountState, _ holdings: Holdings?) {
    let waived = BackfillWaiver(past: past, state: state, records: records, holdings: holdings)
      .reward(terms.protection)
    guard waived.isSomething else { return }
    let day = past.account.boundaryDay
    records.append(
      .grant(
        GrantRecord(
          key: HandKey.waived(plan: terms.plan).text(user: user), user: user, day: day,
          mission: "waived", effective: past.account.boundary, rules: version(day), reward: waived,
          evidence: [], cause: cause)))
    issues.append(
      UserBackfill.Issue(day: day, severity: .information, text: "what would be lost is waived"))
  }

  /// Says on which level the user stands where sums do not lead there: corrected rules may have another level table.
  private mutating func correctLevel(from reached: AccountState, to state: AccountState) {
    var due = state
    let key = HandKey.waived(plan: terms.plan).text(user: user)
    for case .grant(let grant) in records where grant.key == key {
      due.apply(exp: grant.reward.exp, caps: caps(grant.day))
    }
    guard reached.level != due.level || reached.exp != due.exp else { return }
    records.append(
      .level(
        LevelRecord(
          user: user, level: due.level, effective: past.account.boundary, exp: due.exp)))
    issues.append(
      UserBackfill.Issue(
        day: past.account.boundaryDay, severity: .information,
        text: "level \(reached.level) with \(reached.exp) exp becomes level \(due.level) "
          + "with \(due.exp)"))
  }

  private mutating func addIssues(_ days: [PastJudge.JudgedDay]) {
    let marks = Dictionary(past.reopened.marks.map { ($0.day, $0.what) }) { first, _ in first }
    for day in days {
      let mark = marks[day.closed.day] ?? nil
      let was = mark.map { $0 == .repaired ? "repaired" : $0.rawValue }
      if day.outcome.streakClass == .counted, let was, was != "repaired" {
        issues.append(
          UserBackfill.Issue(
            day: day.closed.day, severity: .information,
            text: "the streak was \(was) and counts now: \(day.outcome.streakAfter.length) days"))
      }
      if day.outcome.isSaturated {
        issues.append(
          UserBackfill.Issue(day: day.closed.day, severity: .warning, text: "a sum passed 64 bits"))
      }
    }
    for body in records {
      switch body {
      case .grant(let grant) where grant.reward.points < 0 || grant.reward.exp < 0:
        issues.append(
          UserBackfill.Issue(
            day: grant.day, severity: .warning,
            text: "\(grant.key) takes back \(-grant.reward.points) points, \(-grant.reward.exp) exp"
          ))
      case .refused(let refused):
        issues.append(
          UserBackfill.Issue(
            day: refused.day ?? past.account.boundaryDay, severity: .warning,
            text: "\(refused.key ?? "") is held back by the day's limit"))
      default: break
      }
    }
    issues.sort { $0.day < $1.day }
  }
}
