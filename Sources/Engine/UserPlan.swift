package import CivilTime
import Evidence
package import Ledger
package import RewardRules

/// One user's part of a plan: the records that bring the closed days to what they should be. Pure.
///
/// The records take effect as a whole: the last one that can carry it holds the user's state after the last closed day.
package struct UserPlan: Sendable {
  /// Something about one user's day that an operator should know.
  package struct Issue: Sendable, Equatable {
    /// The severity of an issue.
    package enum Severity: String, Sendable {
      /// Describes what the plan does.
      case information
      /// Needs a person's attention.
      case warning
    }

    /// The day.
    package let day: Day
    /// The severity.
    package let severity: Severity
    /// The message.
    package let text: String

    package init(day: Day, severity: Severity, text: String) {
      self.day = day
      self.severity = severity
      self.text = text
    }
  }

  /// The user's id.
  package var user: String { original.account.id }
  /// The records, in the order in which to append them; none if everything is already correct.
  package private(set) var records: [RecordBody] = []
  /// The changes and findings, by day.
  package private(set) var issues: [Issue] = []
  /// What open days would lose; nil for nothing, and before ``addOpenDayLoss()``.
  package private(set) var openDayLoss: OpenDayLoss?
  /// The streak's length after the last closed day, as it stands and with the plan applied.
  package private(set) var streakLengths: (before: Int32, after: Int32)?
  /// The account the plan was made for.
  package var account: Account { original.account }
  private let terms: PlanTerms
  /// The timeline as it stands.
  private let original: Timeline
  /// The timeline with the plan's acts applied.
  private var timeline: Timeline
  /// The levels reached on closed days whose rewards stand for open days.
  private var rewardedLevels: [Int32] = []

  /// Works out what the closed days of `timeline` should be after `acts` (reversals or releases). Leaves out acts
  /// that the ledger already holds. `holdings` are the user's balances, if known from elsewhere.
  ///
  /// The timeline needs a history. `evaluation` is that of its closed days by these terms, if there are no acts and it is known.
  package init(
    _ timeline: Timeline, _ terms: PlanTerms, acts: [RecordBody] = [], holdings: Amounts? = nil,
    evaluation: Evaluation? = nil
  ) {
    self.terms = terms
    original = timeline
    self.timeline = timeline
    if let why = account.stopped {
      stop(why)
      return
    }
    let newActs = acts.filter { !timeline.holds($0) }
    if !acts.isEmpty, newActs.isEmpty { return }
    // Acts must not silently do the work of a backfill, which has a preview and waivers.
    if !newActs.isEmpty, !UserPlan(timeline, terms).records.isEmpty {
      stop(
        "closed days wait for a backfill; until it is applied, nothing that depends on them changes"
      )
      return
    }
    records = newActs
    if !newActs.isEmpty { self.timeline = timeline.assuming(newActs) }
    let evaluation = evaluation ?? self.timeline.evaluate(.closed, cutoff: terms.cutoff)
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

  /// Adds what open days would lose, since they follow the change and no waiver covers them.
  package mutating func addOpenDayLoss() {
    guard !records.isEmpty, let loss = OpenDayLoss(original, once: records) else { return }
    openDayLoss = loss
    issues.append(
      Issue(
        day: loss.day, severity: .warning,
        text: "open days change too, and no waiver covers what they lose: \(loss.text)"))
  }

  /// Whether the user's booster or items change after the last closed day.
  package var changesHoldings: Bool {
    let after = account.applying(records, timeline.rules).state
    return after.boosterUntil != account.state.boosterUntil || after.owned != account.state.owned
  }

  /// Returns the plan with each record replaced by `change`, which must keep the totals the same.
  package func mapRecords(_ change: (RecordBody) -> RecordBody) -> UserPlan {
    var plan = self
    plan.records = records.map(change)
    return plan
  }

  /// Whether there is nothing to do or report.
  package var isEmpty: Bool { records.isEmpty && issues.isEmpty }

  private var boundaryDay: Day { account.boundaryDay }
  private var cause: String { GrantRecord.cause(ofPlan: terms.plan) }

  private mutating func stop(_ text: String) {
    issues = [Issue(day: account.boundaryDay, severity: .warning, text: text)]
  }

  private mutating func addGrants(_ demanded: [GrantIntent], _ days: [EvaluatedDay]) {
    let difference = Difference(timeline, days, cause: cause)
    let lastClosed = boundaryDay
    // Grants that stand for open days follow the law by themselves.
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

  /// Records the streak after each day whose recorded streak differs. A streak stated by a `login` grant needs no
  /// line of its own.
  private mutating func addStreaks(_ days: [EvaluatedDay]) {
    let recorded = recordedStreaks
    // By index, because copying a day costs more than looking at it.
    for place in days.indices {
      let day = days[place].day
      let before = StreakMark(days[place].outcome.streakBefore)
      let after = StreakMark(days[place].outcome.streakAfter)
      // A day without a line leaves the streak unchanged.
      let told = recorded[day] ?? before
      if told == after { continue }
      if days[place].outcome.grants.contains(where: { $0.key == .login(day) }) { continue }
      records.append(
        .streak(StreakRecord(user: user, day: day, what: .repaired, before: before, after: after)))
    }
  }

  /// The streak after each day according to the ledger. The last line about a day counts.
  private var recordedStreaks: [Day: StreakMark] {
    let marks = timeline.history?.marks ?? [:]
    var streaks = marks.mapValues(\.after)
    let grants = timeline.grants
    // A granted login follows the mark of one that was held back.
    for place in grants.indices {
      if case .login(let day) = grants[place].key, let streak = grants[place].streak,
        !grants[place].isVoid, marks[day]?.what == nil
      {
        streaks[day] = streak
      }
    }
    return streaks
  }

  /// Adds the waiver, and the user's state after the last closed day once all records count.
  private mutating func settle(_ evaluation: Evaluation, _ holdings: Amounts?) {
    var due = evaluation.state
    if records.isEmpty, account.state == due { return }
    let waiver = PlanWaiver(
      timeline: timeline, before: account, due: due, records: records, holdings: holdings,
      now: terms.now
    ).reward(terms.protection)
    if waiver.isSomething {
      let grant = GrantRecord(
        key: HandKey.waived(plan: terms.plan).text(user: user), user: user, day: boundaryDay,
        mission: OtherMission.waived.rawValue, effective: account.boundary,
        rules: timeline.version(ofRulesOn: boundaryDay),
        reward: waiver, evidence: [], cause: cause)
      records.append(.grant(grant))
      due.apply(
        StandingGrant(
          text: grant.key, key: nil, day: grant.day, effective: grant.effective, net: waiver,
          streak: nil), caps: timeline.caps(behind: evaluation, on: boundaryDay))
      issues.append(
        Issue(
          day: boundaryDay, severity: .information,
          text: "a waiver of \(waiver.summary) covers what would be lost"))
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

  /// Records the streak after the last closed day if the lines about single days do not lead to it.
  private mutating func correctStreak(from reached: AccountState, to due: AccountState) {
    let (before, after) = (StreakMark(reached.streak), StreakMark(due.streak))
    guard before != after else { return }
    records.append(
      .streak(
        StreakRecord(user: user, day: boundaryDay, what: .repaired, before: before, after: after)))
  }

  /// Records the user's level if the sums do not lead to it, or if no other record could carry the remaining changes.
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
    // A mark stands even after a plan has granted the login.
    let counted = Set(records.compactMap(\.dayThatCounts))
    for day in days {
      let was = marks[day.day]?.what.flatMap { $0 == .repaired ? nil : $0.rawValue }
      if counted.contains(day.day), day.outcome.streakClass == .counted, let was {
        issues.append(
          Issue(
            day: day.day, severity: .information,
            text:
              "the streak was \(was); now the day counts (streak length \(day.outcome.streakAfter.length))"
          ))
      }
      if day.outcome.isSaturated {
        issues.append(Issue(day: day.day, severity: .warning, text: "a sum exceeded 64 bits"))
      }
    }
    for case .refused(let refused) in records {
      issues.append(
        Issue(
          day: refused.day ?? boundaryDay, severity: .warning,
          text: "\(refused.key ?? "") is held back by the day's limit"))
    }
    let totals = RecordTotals(records)
    let lost = Amounts { max(0, (-totals.amounts)[$0]) }
    let losses = (lost.shortText.map { [$0] } ?? []) + totals.lostItems.sorted()
    if !losses.isEmpty {
      warn("the user loses \(losses.joined(separator: ", "))")
    }
    if let (before, after) = streakLengths, after < before {
      warn("the streak shrinks from \(before) to \(after), and no waiver covers that")
    }
    issues.sort { $0.day < $1.day }
  }

  private mutating func warn(_ text: String) {
    issues.append(Issue(day: boundaryDay, severity: .warning, text: text))
  }
}

extension RecordBody {
  /// The day that counts for the streak by this record, although it did not before.
  fileprivate var dayThatCounts: Day? {
    switch self {
    case .grant(let grant): grant.streak != nil && !grant.isAdjustment ? grant.day : nil
    case .refused(let refused): refused.streak != nil ? refused.day : nil
    default: nil
    }
  }
}

extension Account {
  /// Returns the account after appending `records`.
  func applying(_ records: [RecordBody], _ rules: RuleHistory) -> Account {
    var account = self
    var none: AccountHistory?
    let fold = RecordFold(seq: 0, rules)
    for body in records { fold.apply(body, to: &account, &none) }
    return account
  }
}
