internal import CivilTime
internal import Evidence

/// Applies one rules document to days. Pure: equal arguments give equal outcomes.
///
/// A user's past is a fold of ``evaluate(_:account:standing:user:draws:trace:)`` over the windows in order, each day under
/// the document in force on it. Safe to use from any thread.
public struct DayEvaluator: Sendable {
  /// The rules applied.
  public let rules: RulesDocument

  /// Creates an evaluator of these rules.
  public init(rules: RulesDocument) { self.rules = rules }

  /// Judges one day and moves `account` from before the day to after it.
  ///
  /// A pending day leaves ``AccountState/isStreakPending`` set, and later days of the same fold get no `login`
  /// grant. Once more is known, start again from the account after the last closed day.
  ///
  /// Appends every step to `trace` unless it is nil.
  public func evaluate(
    _ facts: DayFacts, account: inout AccountState, standing: RecordedKeys, user: String,
    draws: DrawSecret, trace: inout [TraceStep]?
  ) -> DayOutcome {
    if trace != nil { describe(facts, in: &trace) }
    var outcome = judgeStreak(facts, account: &account, trace: &trace)
    let missions = facts.accomplished.intersection(rules.missions.kinds)
    let isLoginDue = outcome.streakClass == .counted && !account.isStreakPending
    // Most days end here.
    if missions.isEmpty, !isLoginDue, facts.credits.isEmpty { return outcome }
    let login = isLoginDue ? rules.streak.firstTouch(in: facts) : nil
    let queue = RewardQueue(facts: facts, missions: missions, login: login)
    addGrants(of: queue, to: &outcome, facts, &account, standing, user, draws, &trace)
    return outcome
  }

  // Not inlined, because otherwise even idle days would count references to what it holds.
  @inline(never)
  private func addGrants(
    of queue: consuming RewardQueue, to outcome: inout DayOutcome, _ facts: DayFacts,
    _ account: inout AccountState, _ standing: RecordedKeys, _ user: String, _ draws: DrawSecret,
    _ trace: inout [TraceStep]?
  ) {
    var fold = DayFold(rules: rules, user: user, queue: queue)
    fold.run(facts, &account, &outcome, standing: standing, draws: draws, tracing: &trace)
  }

  private func judgeStreak(
    _ facts: DayFacts, account: inout AccountState, trace: inout [TraceStep]?
  ) -> DayOutcome {
    let streakClass = rules.streak.classify(facts)
    let before = account.streak
    if streakClass == .pending { account.isStreakPending = true }
    if !account.isStreakPending {
      switch streakClass {
      case .counted:
        account.streak = before.counting(facts.window.day, cycleLength: rules.streak.cycleLength)
      case .missed: account.streak = before.broken()
      case .held, .excused, .pending: break
      }
    }
    trace?.append(.streak(streakClass, before: before, after: account.streak))
    if account.isStreakPending { trace?.append(.streakWaits) }
    return DayOutcome(
      day: facts.window.day, streakClass: streakClass, streakBefore: before,
      streakAfter: account.streak)
  }

  private func describe(_ facts: DayFacts, in trace: inout [TraceStep]?) {
    trace?.append(.day(facts.window, rules: rules.version))
    if facts.isExcused { trace?.append(.excused) }
    for kind in rules.neededKinds.kinds {
      if let touch = facts[kind] {
        trace?.append(.met(kind, touch))
        if let duration = facts.durations.first(where: { $0.kind == kind }) {
          let gaps = facts.gaps.filter { $0.kind == kind }
          trace?.append(.lasted(duration, facts.verdict(kind), gaps))
        }
      } else if !facts.watched.contains(kind) {
        trace?.append(.notWatched(kind))
      } else if facts.verdict(kind) == .unknown {
        trace?.append(.unknown(kind, facts.gaps.filter { $0.kind == kind }))
      } else {
        trace?.append(.notMet(kind))
      }
    }
  }
}
