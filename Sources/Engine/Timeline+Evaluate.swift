package import CivilTime
import Evidence
import Ledger
package import RewardRules

/// One user's day, evaluated by the rules.
package struct EvaluatedDay: Sendable {
  /// The facts known about the day.
  package let facts: DayFacts
  /// The result of the rules for these facts.
  package let outcome: DayOutcome
  /// The rules applied.
  package let rules: RulesDocument
  /// The rules' steps; empty unless the day was traced.
  package let trace: [TraceStep]
  /// Whether the day is closed, or was judged as if it were.
  package var isClosed: Bool { facts.isClosing }
  /// Its window.
  package var window: UserWindow { facts.window }
  /// The date.
  package var day: Day { facts.window.day }
}

/// The evaluation of a user's days.
package struct Evaluation: Sendable {
  /// The days, in order, without those that have no rules in force.
  package fileprivate(set) var days: [EvaluatedDay] = []
  /// The state after the last day.
  package fileprivate(set) var state: AccountState
}

extension Timeline {
  /// The days to evaluate.
  package enum Span: Sendable {
    /// The open days.
    case open
    /// The closed days; needs a history.
    case closed
    /// All days; needs a history.
    case all
  }

  /// Judges days in order; no other place does.
  ///
  /// Open days that end by `closingThrough` are treated as being closed, so what is unknown about them stays unknown.
  /// Keeps the steps taken on the day `traced`. Assumes that nothing happened unseen in windows that begin at
  /// `silentFrom` or later.
  package func evaluate(
    _ span: Span, cutoff: FactCutoff = .whatWasKnown, closingThrough: Instant? = nil,
    silentFrom: Instant? = nil, tracing traced: Day? = nil
  ) -> Evaluation {
    let closedDays = span == .open ? nil : history?.days
    let opening = closedDays == nil ? nil : history?.opening
    var evaluation = Evaluation(state: opening ?? account.state)
    let last = span == .closed ? nil : openWindows.last
    let standing = standing(through: last?.day ?? account.boundaryDay)
    var finder = FactFinder(
      self, cutoff: cutoff, through: last?.end ?? account.boundary,
      closingThrough: closingThrough, silentFrom: silentFrom)
    var waivers = waivers(from: closedDays == nil ? account.boundary : .earliest)[...]
    func add(_ known: (facts: DayFacts, rules: RulesDocument)?) {
      guard let (facts, rules) = known else { return }
      applyWaivers(&waivers, before: facts.window.start, into: &evaluation)
      var trace: [TraceStep]? = facts.window.day == traced ? [] : nil
      let outcome = DayEvaluator(rules: rules).evaluate(
        facts, account: &evaluation.state, standing: standing, user: account.id,
        draws: terms.draws, trace: &trace)
      evaluation.days.append(
        EvaluatedDay(facts: facts, outcome: outcome, rules: rules, trace: trace ?? []))
    }
    evaluation.days.reserveCapacity(
      (closedDays?.count ?? 0) + (span == .closed ? 0 : openWindows.count))
    if let closedDays {
      for day in closedDays { add(finder.facts(of: day)) }
      applyWaivers(&waivers, before: account.boundary, into: &evaluation)
      evaluation.state.forgetPause(before: account.boundary)
    }
    if span != .closed {
      for window in openWindows { add(finder.facts(of: window)) }
    }
    return evaluation
  }

  /// Returns what plans let the user keep, in order of effect.
  private func waivers(from boundary: Instant) -> [StandingGrant] {
    // There are many grants and few waivers, so only waivers are copied.
    let waivers = grants.indices.filter {
      grants[$0].key == nil && grants[$0].isWaived && grants[$0].effective >= boundary
    }.map { grants[$0] }
    return waivers.count < 2 ? waivers : waivers.sorted { $0.effective < $1.effective }
  }

  /// Applies the waivers in force when a day begins, under the rules of the day before. They lift no level, because
  /// the waiver itself holds the level rewards that the user keeps.
  private func applyWaivers(
    _ waivers: inout ArraySlice<StandingGrant>, before start: Instant,
    into evaluation: inout Evaluation
  ) {
    while let waiver = waivers.first, waiver.effective <= start {
      waivers.removeFirst()
      evaluation.state.apply(waiver, caps: caps(behind: evaluation, on: waiver.day))
    }
  }

  /// Returns the level table that a waiver of `day` uses after the evaluated days: that of the last of them.
  func caps(behind evaluation: Evaluation, on day: Day) -> [Int64] {
    evaluation.days.last?.rules.levels.caps ?? rules.caps(on: day)
  }

  /// Returns the keys' state that the rules must respect; for days after `last`, only that of levels, whose keys name
  /// no day.
  private func standing(through last: Day) -> RecordedKeys {
    var standing = RecordedKeys()
    standing.heldBack = account.heldBack
    standing.released = account.released
    for closed in account.grants.closedLevels where closed.isReversed {
      standing.reversed.insert(.level(Int(closed.level)))
    }
    let grants = grants
    standing.granted.reserveCapacity(min(grants.count, 64))
    for index in grants.indices {
      guard let key = grants[index].key else { continue }
      if let day = key.day, day > last { continue }
      if grants[index].isReversed { standing.reversed.insert(key) }
      guard grants[index].net.isSomething else { continue }
      if case .level(let level) = key { standing.levelDays[level] = grants[index].day }
      if !grants[index].isReversed { standing.granted[key] = grants[index].net }
    }
    return standing
  }
}
