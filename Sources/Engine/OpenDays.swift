package import CivilTime
package import Evidence
package import Ledger
import RewardRules

/// The open days of one user while new facts arrive: takes polls, inbox lines and credits, and produces records. Pure.
package struct OpenDays: Sendable {
  /// Everything known about the user.
  package private(set) var timeline: Timeline
  /// The records to append.
  package private(set) var draft = Draft()
  /// The evaluated open days, in order; empty before ``evaluate(closingThrough:)``.
  package private(set) var days: [EvaluatedDay] = []
  /// The number of activities and credits in the draft that came after a day they touch was closed.
  package private(set) var lateCount = 0
  /// Evidence that touches only days whose evidence the timeline does not hold: a history must weigh it before it is
  /// recorded or dropped.
  package private(set) var undecided: [EvidenceRecord] = []
  /// The cause in the records: `live` or `reconcile`.
  private let cause: String
  private let intake: Intake
  /// The doubts about the polls.
  private var doubts: [RefusedRecord] = []
  /// The fingerprints of the routes' answers, weighed once ``undecided`` is.
  package private(set) var decisions: [(route: Source, decided: [UInt32])] = []

  /// Creates a user's open days.
  package init(_ timeline: Timeline, cause: String) {
    self.timeline = timeline
    self.cause = cause
    intake = Intake(timeline)
  }

  /// What the polls proved, to be kept.
  package var looks: LookHistories {
    var looks = timeline.looks
    for entry in decisions where undecided.isEmpty { looks[entry.route].decided = entry.decided }
    return looks
  }

  /// Applies a poll. Nothing later than `certain` is believed, because a poll made while the clock is in doubt may
  /// carry a time that has not come yet.
  package mutating func observe(_ look: Look, certain: Instant = .latest) {
    let route = look.route
    guard let kind = route.polledKind, !timeline.openWindows.isEmpty else { return }
    let boundary = timeline.account.boundary
    // Each day's own rules decide how much of it they believe.
    let policy = timeline.rules.beliefs.last ?? ActivityPolicy()
    let lagSeconds = timeline.terms.lagSeconds
    let unsureSeconds = max(0, look.at.seconds(since: certain))
    // What lies ahead of a doubtful clock may well have happened, since the clock may be slow. The next poll repeats
    // it.
    if unsureSeconds > 0, look.showsFuture { return }
    let observed: Observed
    if case .counted(let value, let by) = look.outcome {
      // A count's activity happened between two readings, so both times must be certain.
      if unsureSeconds > 0 { return }
      observed = timeline.looks[route].observe(
        value, at: look.at, by: by, of: kind, lagSeconds: lagSeconds,
        in: timeline.openWindows.map(\.window))
    } else {
      observed = timeline.looks[route].observe(
        look,
        by: ObservingTerms(
          policy: policy, lagSeconds: lagSeconds, unsureSeconds: unsureSeconds,
          remembersFrom: timeline.account.remembersFrom, boundary: boundary))
    }
    timeline.looks[route].forget(before: boundary)
    doubts += observed.doubts.map { $0.refusal(of: timeline.account.id, at: route) }
    decisions.append((route, observed.decided))
    add(observed.seen, source: route, observedAt: look.at)
  }

  /// Applies activities seen by a source; `sender` is who handed them in, nil for the hand and for polls.
  package mutating func add(
    _ activities: [Activity], source: Source, observedAt: Instant, sender: String? = nil
  ) {
    let inOrder =
      activities.count < 2 ? activities : activities.sorted { ($0.from, $1.to) < ($1.from, $0.to) }
    for activity in inOrder {
      switch intake.novelty(of: activity, beside: timeline.evidence) {
      case .known: break
      case .undecided: undecided.append(evidence(activity, source, observedAt, sender))
      case .news: record(activity, source, observedAt, sender)
      }
    }
  }

  /// Applies activities of a user whose open days cannot be determined. Any of them may matter, so all are recorded.
  package mutating func recordAll(
    _ activities: [Activity], source: Source, observedAt: Instant, sender: String? = nil
  ) {
    add(activities.filter(intake.isLate), source: source, observedAt: observedAt, sender: sender)
    for activity in activities where !intake.isLate(activity) {
      let isKnown = timeline.evidence.contains { $0.activity == activity }
      if !isKnown { record(activity, source, observedAt, sender) }
    }
  }

  private mutating func record(
    _ activity: Activity, _ source: Source, _ observedAt: Instant, _ sender: String?
  ) {
    timeline.add(
      RecordedEvidence(activity: activity, source: source, seq: draft.nextEvidence))
    if intake.isLate(activity) { lateCount += 1 }
    draft.add(evidence(activity, source, observedAt, sender))
  }

  private func evidence(
    _ activity: Activity, _ source: Source, _ observedAt: Instant, _ sender: String?
  ) -> EvidenceRecord {
    EvidenceRecord(
      user: timeline.account.id, activity: activity, source: source, observedAt: observedAt,
      sender: sender, by: source == .inbox && sender == nil ? RecordBody.actBefore : nil)
  }

  /// Applies a credit from elsewhere. What it changes on a closed day takes effect only through a plan.
  package mutating func add(_ record: CreditRecord) {
    draft.bodies.append(.credit(record))
    guard record.credit.changesDays else { return }
    let credit = record.credit.counted(from: timeline.account.firstInstant)
    if credit.effective < timeline.account.boundary {
      lateCount += 1
    } else {
      timeline.add(RecordedCredit(credit: credit, seq: RecordedEvidence.firstProvisional))
    }
  }

  /// Evaluates the open days, or only those that end by `closingThrough`, and adds the missing records to the draft.
  package mutating func evaluate(closingThrough: Instant? = nil) {
    guard timeline.account.stopped == nil else { return }
    addDoubts()
    if let closingThrough { timeline.openWindows.removeAll { $0.end > closingThrough } }
    days = timeline.evaluate(.open, closingThrough: closingThrough).days
    // The last day may be pending, because no standing grant depends on it.
    let isDecided = days.indices.dropLast().allSatisfy {
      days[$0].outcome.streakClass != .pending
    }
    addRecords(isDecided: isDecided)
    if isDecided, closingThrough == nil { addStreakLines() }
  }

  /// Returns what evaluating the open days of `timeline` again would change in the grants that stand. Leaves out further grants, which may
  /// depend on polls.
  package static func corrections(_ timeline: Timeline) -> [GrantRecord] {
    var days = OpenDays(timeline, cause: "live")
    days.evaluate()
    return days.draft.bodies.compactMap { body in
      if case .grant(let grant) = body, grant.isAdjustment { grant } else { nil }
    }
  }

  /// Adds a refusal for each doubt not yet reported.
  private mutating func addDoubts() {
    var reported = timeline.account.refusals
    for doubt in doubts where reported.insert(doubt.detail).inserted {
      draft.bodies.append(.refused(doubt))
    }
  }

  private mutating func addRecords(isDecided: Bool) {
    guard let last = days.last?.window else { return }
    let difference = Difference(timeline, days, cause: cause)
    // A move may have extended the last day over what was granted for the next one. A level reached by then may have
    // been rewarded on a later day, under other rules.
    let reached = days.indices.compactMap { days[$0].outcome.levels.last?.level }.max() ?? 0
    let level = Int(max(timeline.account.state.level, reached))
    let lastClosed = timeline.account.boundaryDay
    draft.bodies += difference.records(
      for: days.flatMap(\.outcome.grants), isComplete: isDecided,
      mayRetract: { grant in
        grant.day > lastClosed && !grant.isSettled
          && (grant.day <= last.day || grant.effective < last.end
            || grant.level.map { $0 <= level } ?? false)
      })
    let user = timeline.account.id
    for place in days.indices {
      for intent in days[place].outcome.heldBack where !isRefused(intent) {
        draft.bodies.append(.refused(RefusedRecord(holding: intent, of: user)))
      }
      for reached in days[place].outcome.levels
      where reached.level > timeline.account.recordedLevel {
        draft.bodies.append(
          .level(LevelRecord(user: user, level: reached.level, effective: reached.effective)))
      }
    }
  }

  /// Records the streak for days whose login grant can no longer carry it, because it was reversed or is no longer held
  /// back. That a streak broke is recorded by the close, with its proof.
  private mutating func addStreakLines() {
    for outcome in days.lazy.map(\.outcome) where outcome.streakClass.change != .broken {
      let after = StreakMark(outcome.streakAfter)
      guard let told = timeline.recordedStreak(on: outcome), told != after else { continue }
      draft.bodies.append(
        .streak(
          StreakRecord(
            user: timeline.account.id, day: outcome.day, what: outcome.streakClass.change ?? .held,
            before: StreakMark(outcome.streakBefore), after: after)))
    }
  }

  /// Returns whether the ledger says that the grant waits and, for a login, with this streak.
  private func isRefused(_ intent: GrantIntent) -> Bool {
    guard timeline.account.heldBack.contains(intent.key) else { return false }
    guard let streak = intent.streak else { return true }
    return timeline.account.marks.contains(
      DayMark(day: intent.day, what: nil, after: streak))
  }

  /// Adds a line about a day being closed to the draft.
  mutating func append(_ body: RecordBody) { draft.bodies.append(body) }
}

extension Observed.Doubt {
  /// Returns the refusal that records the doubt about a poll of `route`.
  fileprivate func refusal(of user: String, at route: Source) -> RefusedRecord {
    let (what, detail): (RefusedRecord.Reason, String) =
      switch self {
      case .badEvidence(let detail), .endlessActivity(let detail): (.badEvidence, detail)
      case .lyingAnswer(let detail): (.lyingAnswer, detail)
      }
    return RefusedRecord(user: user, what: what, detail: "route \(route.name): \(detail)")
  }
}
