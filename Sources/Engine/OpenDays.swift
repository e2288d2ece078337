public import CivilTime
public import Evidence
public import Ledger
import RewardRules

/// The open days of one user while something new is taken in: looks, inbox lines and credits in, records out. Pure.
public struct OpenDays: Sendable {
  /// An activity that touches only days whose evidence the timeline does not know.
  public struct Undecided: Sendable {
    /// What was seen.
    public let activity: Activity
    /// Where.
    public let source: Source
    /// When the look was made.
    public let observedAt: Instant
  }

  /// What is known of the user.
  public private(set) var timeline: Timeline
  /// The records to append.
  public private(set) var draft = Draft()
  /// The open days as evaluated, in order; empty before ``evaluate(closingThrough:)``.
  public private(set) var days: [EvaluatedDay] = []
  /// How many of the activities in the draft came after a day that they touch was closed.
  public private(set) var lateCount = 0
  /// What a history must weigh before it is recorded or forgotten.
  public private(set) var undecided: [Undecided] = []
  /// Why the records are written: `live` or `reconcile`.
  private let cause: String
  private let intake: Intake
  /// What was doubted of the looks, in words.
  private var doubts: [(what: RefusedRecord.Reason, detail: String)] = []
  /// What of the routes' answers is weighed once ``undecided`` is.
  public private(set) var decisions: [(route: Source, decided: [UInt32])] = []

  /// Creates the open days of a user.
  public init(_ timeline: Timeline, cause: String) {
    self.timeline = timeline
    self.cause = cause
    intake = Intake(timeline)
  }

  /// What the looks proved, to be kept.
  public var looks: LookHistories {
    var looks = timeline.looks
    for entry in decisions where undecided.isEmpty { looks[entry.route].decided = entry.decided }
    return looks
  }

  /// Takes in a look at a route, of which nothing later than `certain` is believed: while the clock is in doubt a look may bear a time
  /// that has not come.
  public mutating func observe(_ look: Look, at route: Source, certain: Instant = .latest) {
    guard let kind = route.polledKind, !timeline.openWindows.isEmpty else { return }
    let boundary = timeline.account.boundary
    // Each day's own rules say how much of it they believe.
    let policy = timeline.rules.beliefs.last ?? ActivityPolicy()
    let lagSeconds = timeline.terms.lagSeconds
    let unsureSeconds = max(0, look.at.seconds(since: certain))
    // What is ahead of a clock in doubt may well have happened: the clock may be behind. The next look tells again.
    if unsureSeconds > 0, look.tellsOfLater { return }
    let observed: Observed
    if case .counted(let value, let by) = look.outcome {
      // What a number counts happened between two readings: it needs the time of both.
      if unsureSeconds > 0 { return }
      observed = timeline.looks[route].observe(
        CountedLook(value: value, at: look.at, by: by), of: kind, lagSeconds: lagSeconds,
        in: timeline.openWindows.map(\.window))
    } else {
      observed = timeline.looks[route].observe(
        look, kind: kind,
        by: ObservingTerms(
          policy: policy, lagSeconds: lagSeconds, unsureSeconds: unsureSeconds,
          remembersFrom: timeline.account.remembersFrom, boundary: boundary))
    }
    timeline.looks[route].forget(before: boundary)
    for doubt in observed.doubts {
      let (what, detail) = doubt.refusal
      doubts.append((what, "route \(route.name): \(detail)"))
    }
    decisions.append((route, observed.decided))
    add(observed.seen + observed.past, source: route, observedAt: look.at)
  }

  /// Takes in activities that a source told.
  public mutating func add(_ activities: [Activity], source: Source, observedAt: Instant) {
    let inOrder =
      activities.count < 2 ? activities : activities.sorted { ($0.from, $1.to) < ($1.from, $0.to) }
    for activity in inOrder {
      switch intake.novelty(of: activity, beside: timeline.evidence) {
      case .known: break
      case .undecided:
        undecided.append(
          Undecided(activity: activity, source: source, observedAt: observedAt))
      case .news: record(activity, source, observedAt)
      }
    }
  }

  /// Takes in activities of a user whose open days cannot be told: which of them the law can need is not known, so all are recorded.
  public mutating func keep(_ activities: [Activity], source: Source, observedAt: Instant) {
    add(activities.filter(intake.isLate), source: source, observedAt: observedAt)
    for activity in activities where !intake.isLate(activity) {
      let isKnown = timeline.evidence.contains { $0.activity == activity }
      if !isKnown { record(activity, source, observedAt) }
    }
  }

  private mutating func record(_ activity: Activity, _ source: Source, _ observedAt: Instant) {
    timeline.add(
      RecordedEvidence(activity: activity, source: source, seq: draft.nextEvidence))
    if intake.isLate(activity) { lateCount += 1 }
    draft.evidence.append(
      EvidenceRecord(
        user: timeline.account.id, activity: activity, source: source, observedAt: observedAt))
  }

  /// Takes in what the user got elsewhere. On a closed day it takes effect by a plan only.
  public mutating func add(_ credit: CreditRecord) {
    draft.bodies.append(.credit(credit))
    let start = timeline.account.start(ofCreditAt: credit.effective)
    if start < timeline.account.boundary {
      lateCount += 1
    } else {
      timeline.add(
        RecordedCredit(
          credit: Credit(effective: start, exp: credit.exp, items: credit.items),
          seq: RecordedEvidence.firstProvisional))
    }
  }

  /// Evaluates the open days, or those that are closed with `closingThrough`, and adds the missing records to the draft.
  public mutating func evaluate(closingThrough: Instant? = nil) {
    guard timeline.account.stopped == nil else { return }
    addDoubts()
    if let closingThrough { timeline.openWindows.removeAll { $0.end > closingThrough } }
    days = timeline.evaluate(.open, closingThrough: closingThrough).days
    // The last day may be undecided: it hides nothing that stands.
    let isDecided = days.indices.dropLast().allSatisfy {
      days[$0].outcome.streakClass != .pending
    }
    addRecords(isDecided: isDecided)
    if isDecided, closingThrough == nil { addStreakLines() }
  }

  /// Adds a refusal for each doubt that is not reported yet.
  private mutating func addDoubts() {
    if doubts.isEmpty { return }
    var reported = timeline.account.refusals
    for doubt in doubts where reported.insert(doubt.detail).inserted {
      draft.bodies.append(
        .refused(
          RefusedRecord(user: timeline.account.id, what: doubt.what, detail: doubt.detail)))
    }
  }

  private mutating func addRecords(isDecided: Bool) {
    guard let last = days.last?.window else { return }
    let difference = Difference(timeline, days, cause: cause)
    // A move may have extended the last day over what was granted for the next one; a level that is reached by then may have been
    // rewarded on a later day, by other rules.
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

  /// Tells how the streak stands on days whose login no adjustment can tell of any more: it was taken back, or is held back no longer.
  private mutating func addStreakLines() {
    for place in days.indices where !days[place].outcome.demandsLogin {
      let day = days[place].day
      let after = StreakMark(days[place].outcome.streakAfter)
      guard let told = timeline.toldStreak(on: day), told != after else { continue }
      draft.bodies.append(
        .streak(
          StreakRecord(
            user: timeline.account.id, day: day,
            what: days[place].outcome.streakClass.change ?? .held,
            before: StreakMark(days[place].outcome.streakBefore), after: after, proof: [])))
    }
  }

  /// Returns whether the ledger says that a grant waits, and for a login also how the streak stands with it.
  private func isRefused(_ intent: GrantIntent) -> Bool {
    guard timeline.account.heldBack.contains(intent.key) else { return false }
    guard let streak = intent.streak else { return true }
    return timeline.account.marks.contains(
      DayMark(day: intent.day, what: nil, after: StreakMark(streak)))
  }

  /// Adds a line about a closed day to the draft.
  mutating func append(_ body: RecordBody) { draft.bodies.append(body) }
}

extension Observed.Doubt {
  /// How a doubt is recorded.
  fileprivate var refusal: (what: RefusedRecord.Reason, detail: String) {
    switch self {
    case .badEvidence(let detail), .endlessActivity(let detail): (.badEvidence, detail)
    case .lyingAnswer(let detail): (.lyingAnswer, detail)
    }
  }
}
