public import CivilTime
import Evidence
public import Ledger
import RewardRules

/// What a plan makes of one user: the records that bring the closed days to what they should be. Pure.
///
/// They take effect as a whole: the last that can carry it says how the user stands behind the last closed day.
public struct UserPlan: Sendable {
  /// What an operator should know of one user's day.
  public struct Issue: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable {
      /// What the plan does.
      case information
      /// What a person should look at.
      case warning
    }

    /// The day.
    public let day: Day
    /// How much it matters.
    public let severity: Severity
    /// What there is to know.
    public let text: String

    /// Something to know.
    public init(day: Day, severity: Severity, text: String) {
      self.day = day
      self.severity = severity
      self.text = text
    }
  }

  /// The user's id.
  public var user: String { original.account.id }
  /// The records, in the order in which they must be appended; none when all is as it should be.
  public private(set) var records: [RecordBody] = []
  /// What changes and what was found, by day.
  public private(set) var issues: [Issue] = []
  /// What days that are not closed would lose; nil for nothing, and before ``tellOpenDays()``.
  public private(set) var openDayLoss: OpenDayLoss?
  /// How many days the streak has behind the last closed day: as it stands, and once the plan counts.
  public private(set) var streakLengths: (before: Int32, after: Int32)?
  /// The account on which this was worked out.
  public var account: Account { original.account }
  private let terms: PlanTerms
  /// The timeline as it stands.
  private let original: Timeline
  /// The timeline once the plan's acts count.
  private var timeline: Timeline
  /// The levels that closed days reach and whose rewards stand for open ones.
  private var rewardedLevels: [Int32] = []

  /// Works out what the closed days of `timeline` should be once `acts`, reversals or releases, are in the ledger. Acts that it
  /// holds already are left out. `holdings` are what the user has left, where that is known from elsewhere.
  ///
  /// The timeline needs a history.
  public init(
    _ timeline: Timeline, _ terms: PlanTerms, acts: [RecordBody] = [], holdings: Holdings? = nil
  ) {
    self.terms = terms
    original = timeline
    self.timeline = timeline
    if let why = account.stopped {
      warn(why)
      return
    }
    let newActs = acts.filter { !timeline.holds($0) }
    if !acts.isEmpty, newActs.isEmpty { return }
    // Acts do not carry out by the way what a backfill would be asked for, with its look and its waivers.
    if !newActs.isEmpty, !UserPlan(timeline, terms).records.isEmpty {
      warn(
        "closed days are not as their facts say; until a backfill nothing that hangs on them is changed"
      )
      return
    }
    records = newActs
    if !newActs.isEmpty { self.timeline = timeline.assuming(newActs) }
    let evaluation = self.timeline.evaluate(.closed, knowing: terms.knowing)
    let demanded = evaluation.days.flatMap(\.outcome.grants)
    addGrants(demanded, evaluation.days)
    rewardedLevels = account.grants.open.compactMap { grant in
      guard let key = grant.key, let level = grant.level,
        demanded.contains(where: { $0.key == key })
      else { return nil }
      return Int32(level)
    }.sorted()
    addHeldBack(evaluation.days)
    addLevels(evaluation.days)
    addStreaks(evaluation.days)
    settle(evaluation, holdings)
    streakLengths = (account.state.streak.length, evaluation.state.streak.length)
    if !records.isEmpty { addIssues(evaluation.days) }
  }

  /// Tells also what days that are not closed would lose: they follow, and no waiver covers it.
  public mutating func tellOpenDays() {
    guard !records.isEmpty, let loss = OpenDayLoss(original, once: records) else { return }
    openDayLoss = loss
    issues.append(
      Issue(
        day: loss.day, severity: .warning,
        text: "days that are not closed follow, and no waiver covers it: \(loss.text)"))
  }

  /// Whether the user's booster or items are others behind the last closed day.
  public var changesHoldings: Bool {
    let after = account.applying(records, timeline.rules).state
    return after.boosterUntil != account.state.boosterUntil || after.owned != account.state.owned
  }

  /// Returns the same with each record as `change` makes it, which must leave what it comes to.
  public func mapRecords(_ change: (RecordBody) -> RecordBody) -> UserPlan {
    var plan = self
    plan.records = records.map(change)
    return plan
  }

  /// Whether there is anything to do or to say.
  public var isEmpty: Bool { records.isEmpty && issues.isEmpty }

  private var boundaryDay: Day { account.boundaryDay }
  private var cause: String { GrantRecord.cause(ofPlan: terms.plan) }

  private mutating func warn(_ text: String) {
    issues = [Issue(day: account.boundaryDay, severity: .warning, text: text)]
  }

  private mutating func addGrants(_ demanded: [GrantIntent], _ days: [EvaluatedDay]) {
    let difference = Difference(timeline, days, cause: cause)
    let lastClosed = boundaryDay
    // What stands for open days follows the law by itself.
    records += difference.records(
      for: demanded, isComplete: true, mayRetract: { $0.day <= lastClosed })
  }

  private mutating func addHeldBack(_ days: [EvaluatedDay]) {
    for day in days {
      for intent in day.outcome.heldBack where !account.heldBack.contains(intent.key) {
        records.append(.refused(RefusedRecord(holding: intent, of: user)))
      }
    }
  }

  private mutating func addLevels(_ days: [EvaluatedDay]) {
    for day in days {
      for reached in day.outcome.levels where reached.level > account.recordedLevel {
        records.append(
          .level(LevelRecord(user: user, level: reached.level, effective: reached.effective)))
      }
    }
  }

  /// Writes down how the streak stands after each day on which it stands otherwise than recorded. What a `login` grant
  /// tells needs no line of its own.
  private mutating func addStreaks(_ days: [EvaluatedDay]) {
    let recorded = recordedStreaks
    // By their places: to copy a day costs more than to look at it.
    for place in days.indices {
      let day = days[place].day
      let before = StreakMark(days[place].outcome.streakBefore)
      let after = StreakMark(days[place].outcome.streakAfter)
      // A day of which nothing is told leaves the streak as it is.
      let told = recorded[day] ?? before
      if told == after { continue }
      if days[place].outcome.grants.contains(where: { $0.key == .login(day) }) { continue }
      records.append(
        .streak(StreakRecord(user: user, day: day, what: .repaired, before: before, after: after)))
    }
  }

  /// What the ledger says of the streak after each day: the last line about it counts.
  private var recordedStreaks: [Day: StreakMark] {
    var streaks: [Day: StreakMark] = [:]
    let marks = timeline.history?.marks ?? [:]
    // A login that waits counts as one that was granted.
    for (day, mark) in marks where mark.what == nil { streaks[day] = mark.after }
    let grants = timeline.grants
    for place in grants.indices {
      if case .login(let day) = grants[place].key, let streak = grants[place].streak,
        !grants[place].isVoid
      {
        streaks[day] = streak
      }
    }
    for (day, mark) in marks where mark.what != nil { streaks[day] = mark.after }
    return streaks
  }

  /// Adds the waiver, and how the user stands behind the last closed day once all records count.
  private mutating func settle(_ evaluation: Evaluation, _ holdings: Holdings?) {
    var due = evaluation.state
    if records.isEmpty, account.state == due { return }
    let waiver = PlanWaiver(
      timeline: timeline, before: account, due: due, records: records, holdings: holdings,
      now: terms.now
    ).reward(terms.protection)
    if waiver.isSomething {
      let grant = GrantRecord(
        key: HandKey.waived(plan: terms.plan).text(user: user), user: user, day: boundaryDay,
        mission: "waived", effective: account.boundary,
        rules: timeline.version(ofRulesOn: boundaryDay),
        reward: waiver, evidence: [], cause: cause)
      records.append(.grant(grant))
      due.take(
        StandingGrant(
          text: grant.key, key: nil, day: grant.day, effective: grant.effective, net: waiver,
          streak: nil), caps: timeline.caps(behind: evaluation, on: boundaryDay))
      issues.append(
        Issue(day: boundaryDay, severity: .information, text: "what would be lost is waived"))
    }
    let reached = account.applying(records, timeline.rules).state
    if records.isEmpty, reached == due { return }
    correctStreak(from: reached, to: due)
    correctLevel(from: reached, to: due)
    guard let last = records.lastIndex(where: \.carriesSettled) else { return }
    records[last].settled = SettledChange(
      boosterUntil: due.boosterUntil, boosterPause: due.boosterPause,
      lost: reached.owned.subtracting(due.owned).sorted(),
      gained: due.owned.subtracting(reached.owned).sorted(),
      standing: SettledChange.Standing(
        level: due.level, exp: due.exp, streak: due.streak, rewardedLevels: rewardedLevels),
      days: terms.days, through: terms.through)
  }

  /// Says how the streak stands behind the last closed day where the lines about single days do not lead there.
  private mutating func correctStreak(from reached: AccountState, to due: AccountState) {
    let (before, after) = (StreakMark(reached.streak), StreakMark(due.streak))
    guard before != after else { return }
    records.append(
      .streak(
        StreakRecord(user: user, day: boundaryDay, what: .repaired, before: before, after: after)))
  }

  /// Says on which level the user stands where sums do not lead there; also where nothing else could say what is left.
  private mutating func correctLevel(from reached: AccountState, to due: AccountState) {
    let isSame = reached.level == due.level && reached.exp == due.exp
    if isSame, records.contains(where: \.carriesSettled) { return }
    if isSame, reached == due { return }
    records.append(
      .level(
        LevelRecord(
          user: user, level: due.level, effective: account.boundary, exp: due.exp)))
    if isSame { return }
    issues.append(
      Issue(
        day: boundaryDay, severity: .information,
        text: "level \(reached.level) with \(reached.exp) exp becomes level \(due.level) "
          + "with \(due.exp)"))
  }

  private mutating func addIssues(_ days: [EvaluatedDay]) {
    let marks = timeline.history?.marks ?? [:]
    for day in days {
      let was = marks[day.day]?.what.flatMap { $0 == .repaired ? nil : $0.rawValue }
      if day.outcome.streakClass == .counted, let was {
        issues.append(
          Issue(
            day: day.day, severity: .information,
            text: "the streak was \(was) and counts now: \(day.outcome.streakAfter.length) days"))
      }
      if day.outcome.isSaturated {
        issues.append(Issue(day: day.day, severity: .warning, text: "a sum passed 64 bits"))
      }
    }
    for body in records {
      switch body {
      case .grant(let grant):
        let taken = Amounts { max(0, (-grant.reward.amounts)[$0]) }
        if let text = taken.shortText {
          issues.append(
            Issue(day: grant.day, severity: .warning, text: "\(grant.key) takes back \(text)"))
        }
      case .refused(let refused):
        issues.append(
          Issue(
            day: refused.day ?? boundaryDay, severity: .warning,
            text: "\(refused.key ?? "") is held back by the day's limit"))
      default: break
      }
    }
    issues.sort { $0.day < $1.day }
  }
}

extension Account {
  /// Returns the account once `records` are appended.
  func applying(_ records: [RecordBody], _ rules: RuleHistory) -> Account {
    var account = self
    var none: AccountHistory?
    let fold = RecordFold(seq: 0, rules)
    for body in records { fold.take(body, into: &account, &none) }
    return account
  }
}
