import CivilTime
import Evidence
import Ledger
import RewardRules

/// Judges the open days of one user: looks and inbox lines in, records out. Pure.
struct UserJudge {
  /// One open day with what the rules made of it.
  struct JudgedDay {
    let facts: DayFacts
    let outcome: DayOutcome
    var window: UserWindow { facts.window }
  }

  let account: Account
  let windows: [UserWindow]
  let context: JudgeContext
  let inboxThrough: Instant
  /// Why the records are written: `live` or `reconcile`.
  let cause: String
  /// Up to where days are being closed; nil while none is.
  var closingThrough: Instant?
  /// Whether an operator declared an outage for a day.
  let isExcused: (Day) -> Bool
  /// The day whose steps are kept; nil for none.
  var tracedDay: Day?

  private(set) var histories: LookHistories
  private(set) var draft = Draft()
  /// The open days as judged, in order; empty before ``judge()``.
  private(set) var days: [JudgedDay] = []
  /// The steps of the traced day.
  private(set) var trace: [TraceStep] = []
  /// What was doubted of the looks, in words.
  private var doubts: [(what: Refusal, detail: String)] = []
  private var intake: EvidenceIntake

  init(
    account: Account, windows: [UserWindow], histories: LookHistories, context: JudgeContext,
    inboxThrough: Instant, cause: String, closingThrough: Instant? = nil,
    isExcused: @escaping (Day) -> Bool
  ) {
    self.account = account
    self.windows = windows
    self.histories = histories
    self.context = context
    self.inboxThrough = inboxThrough
    self.cause = cause
    self.closingThrough = closingThrough
    self.isExcused = isExcused
    intake = EvidenceIntake(
      user: account.id, account: account, windows: windows, context: context)
  }

  /// Evidence for closed days that was taken in: a backfill's work.
  var lateEvidence: [SeenActivity] { intake.late }

  /// Takes in a look at a route.
  mutating func observe(_ look: Look, at source: Source) {
    guard let kind = source.polledKind, let first = windows.first else { return }
    let policy = context.policy(on: windows.last?.day ?? first.day)
    let observed = histories[source].observe(
      look, kind: kind, policy: policy, lagSeconds: context.lagSeconds)
    histories[source].forget(before: first.start)
    for doubt in observed.doubts {
      let (what, detail) = doubt.refusal
      doubts.append((what, "route \(source.name): \(detail)"))
    }
    intake.take(observed.seen, source: source, observedAt: look.at, into: &draft)
  }

  /// Takes in activities that the inbox told.
  mutating func take(_ activities: [SeenActivity], observedAt: Instant) {
    intake.take(activities, source: .inbox, observedAt: observedAt, into: &draft)
  }

  /// Takes in what the user got elsewhere.
  mutating func take(_ credit: CreditRecord) {
    draft.bodies.append(.credit(credit))
    credits.append(
      Credit(
        effective: max(credit.effective, account.boundary), exp: credit.exp, items: credit.items))
  }
  private var credits: [Credit] = []

  /// Judges every open day in order and adds the missing records to the draft.
  mutating func judge() {
    guard account.stopped == nil else { return }
    addDoubts()
    var state = account.state
    for waiver in account.grants where waiver.isWaived {
      state.take(waiver, caps: context.rules.rules(on: waiver.day)?.levels.caps ?? [])
    }
    let standing = account.standing
    let knowledge = Knowledge(
      evidence: intake.evidence, histories: histories, inboxSince: account.knownSince,
      inboxThrough: inboxThrough,
      watched: context.watched)
    let credits = account.allCredits + credits
    days.reserveCapacity(windows.count)
    for window in windows {
      guard let rules = context.rules.rules(on: window.day) else { continue }
      var facts = knowledge.facts(
        of: window, kinds: rules.neededKinds, policy: rules.activity)
      facts.isExcused = isExcused(window.day)
      facts.isClosing = closingThrough.map { window.end <= $0 } ?? false
      facts.credits = credits.filter { window.window.contains($0.effective) }
        .sorted { $0.effective < $1.effective }
      var steps: [TraceStep]? = window.day == tracedDay ? [] : nil
      let outcome = Judge(rules: rules).judge(
        facts, account: &state, standing: standing, user: account.id, draws: context.draws,
        trace: &steps)
      if let steps { trace = steps }
      days.append(JudgedDay(facts: facts, outcome: outcome))
    }
    addRecords()
  }

  /// Adds a refusal for each doubt that is not reported yet.
  private mutating func addDoubts() {
    var reported = account.refusals
    for doubt in doubts where reported.insert(doubt.detail).inserted {
      draft.bodies.append(
        .refused(RefusedRecord(user: account.id, what: doubt.what, detail: doubt.detail)))
    }
  }

  private mutating func addRecords() {
    let rules = context.rules
    let diff = GrantDiff(
      account: account, version: { rules.rules(on: $0)?.version ?? "" }, cause: cause)
    // The last day may be undecided: it hides nothing that stands.
    let isDecided = days.dropLast().allSatisfy { $0.outcome.streakClass != .pending }
    let grants = diff.records(for: days.flatMap(\.outcome.grants), isComplete: isDecided)
    draft.bodies += grants
    for day in days {
      for intent in day.outcome.heldBack where !isRefused(intent) {
        draft.bodies.append(.refused(RefusedRecord(holding: intent, of: account.id)))
      }
      for reached in day.outcome.levels where reached.level > account.recordedLevel {
        draft.bodies.append(
          .level(
            LevelRecord(user: account.id, level: reached.level, effective: reached.effective)))
      }
    }
  }

  /// Whether the ledger says that a grant waits, and for a login also how the streak stands with it.
  private func isRefused(_ intent: GrantIntent) -> Bool {
    guard account.heldBack.contains(intent.key) else { return false }
    guard let streak = intent.streak else { return true }
    return account.marks.contains(
      DayMark(day: intent.day, what: nil, after: StreakMark(streak)))
  }
}

extension RefusedRecord {
  /// A grant beyond a limit, which waits for an operator.
  init(holding intent: GrantIntent, of user: String) {
    let key = intent.key.text(user: user)
    self.init(
      user: user, day: intent.day, what: .heldBack, key: key,
      detail: "the day's limit is passed; rewards release \(key) --reason … lets it through",
      points: intent.reward.points, exp: intent.reward.exp,
      streak: intent.streak.map(StreakMark.init))
  }
}
