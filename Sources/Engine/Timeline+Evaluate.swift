public import CivilTime
import Evidence
import Ledger
public import RewardRules

/// A day of one user as the rules see it.
public struct EvaluatedDay: Sendable {
  /// What is known of it.
  public let facts: DayFacts
  /// What the rules make of that.
  public let outcome: DayOutcome
  /// The rules.
  public let rules: RulesDocument
  /// Whether it is closed.
  public let isClosed: Bool
  /// Its window.
  public var window: UserWindow { facts.window }
  /// The date.
  public var day: Day { facts.window.day }
}

/// A user's days, evaluated.
public struct Evaluation: Sendable {
  /// The days, in order; those without rules in force are missing.
  public private(set) var days: [EvaluatedDay] = []
  /// The state behind the last of them.
  public fileprivate(set) var state: AccountState
  /// The steps that the rules took on the day that was asked for.
  public fileprivate(set) var trace: [TraceStep] = []

  fileprivate mutating func reserve(_ count: Int) { days.reserveCapacity(count) }
  fileprivate mutating func append(_ day: EvaluatedDay) { days.append(day) }
}

extension Timeline {
  /// Which days are evaluated.
  public enum Span: Sendable {
    /// Those that are not closed.
    case open
    /// Those that are; takes a history.
    case closed
    /// Both; takes a history.
    case all
  }

  /// Evaluates days in order: the one place where it is decided what a user has earned.
  ///
  /// Open days that end by `closingThrough` are being closed: what is unknown of them stays so. The steps taken on the day
  /// `traced` are kept. Of windows that begin at `silentFrom` or later it is supposed that nothing happened unseen.
  public func evaluate(
    _ span: Span, knowing: Knowing = .whatWasKnown, closingThrough: Instant? = nil,
    silentFrom: Instant? = nil, tracing traced: Day? = nil
  ) -> Evaluation {
    let closedDays = span == .open ? nil : history?.days
    let opening = closedDays == nil ? nil : history?.opening
    var evaluation = Evaluation(state: opening ?? account.state)
    let last = span == .closed ? nil : openWindows.last
    let standing = standing(through: last?.day ?? account.boundaryDay)
    var finder = FactFinder(
      self, knowing: knowing, through: last?.end ?? account.boundary,
      closingThrough: closingThrough, silentFrom: silentFrom)
    var waivers = waivers(from: closedDays == nil ? account.boundary : .earliest)[...]
    func add(_ known: (facts: DayFacts, rules: RulesDocument)?, isClosed: Bool) {
      guard let (facts, rules) = known else { return }
      take(&waivers, before: facts.window.start, into: &evaluation)
      var trace: [TraceStep]? = facts.window.day == traced ? [] : nil
      let outcome = DayEvaluator(rules: rules).evaluate(
        facts, account: &evaluation.state, standing: standing, user: account.id,
        draws: terms.draws, trace: &trace)
      if let trace { evaluation.trace = trace }
      evaluation.append(
        EvaluatedDay(facts: facts, outcome: outcome, rules: rules, isClosed: isClosed))
    }
    let count = (closedDays?.count ?? 0) + (span == .closed ? 0 : openWindows.count)
    evaluation.reserve(count)
    if let closedDays {
      for day in closedDays { add(finder.facts(of: day), isClosed: true) }
      take(&waivers, before: account.boundary, into: &evaluation)
      evaluation.state.forgetPause(before: account.boundary)
    }
    if span != .closed {
      for window in openWindows { add(finder.facts(of: window), isClosed: false) }
    }
    return evaluation
  }

  /// What plans let the user keep, in order of effect.
  private func waivers(from boundary: Instant) -> [StandingGrant] {
    // Grants are many and waivers few: no other is copied.
    let waivers = grants.indices.filter {
      grants[$0].key == nil && grants[$0].isWaived && grants[$0].effective >= boundary
    }.map { grants[$0] }
    return waivers.count < 2 ? waivers : waivers.sorted { $0.effective < $1.effective }
  }

  /// Takes in the waivers that stood when a day began, by the rules of the day before. They lift no level: the rewards of
  /// what a user keeps are kept by the waiver itself.
  private func take(
    _ waivers: inout ArraySlice<StandingGrant>, before start: Instant,
    into evaluation: inout Evaluation
  ) {
    while let waiver = waivers.first, waiver.effective <= start {
      waivers.removeFirst()
      evaluation.state.take(waiver, caps: caps(behind: evaluation, on: waiver.day))
    }
  }

  /// Returns the level table by which a waiver of `day` counts behind the evaluated days: the one by which the last
  /// of them is judged.
  func caps(behind evaluation: Evaluation, on day: Day) -> [Int64] {
    evaluation.days.last?.rules.levels.caps ?? rules.caps(on: day)
  }

  /// What the rules must respect of the user's keys; of days after `last` only levels, which name no day.
  private func standing(through last: Day) -> Standing {
    var standing = Standing()
    standing.heldBack = account.heldBack
    standing.released = account.released
    for closed in account.grants.closedLevels where closed.isReversed {
      standing.settled.insert(.level(Int(closed.level)))
    }
    let grants = grants
    standing.granted.reserveCapacity(min(grants.count, 64))
    for index in grants.indices {
      guard let key = grants[index].key else { continue }
      if let day = key.day, day > last { continue }
      if grants[index].isReversed { standing.settled.insert(key) }
      guard grants[index].net.isSomething else { continue }
      if case .level(let level) = key { standing.levelDays[level] = grants[index].day }
      if !grants[index].isReversed { standing.granted[key] = grants[index].net }
    }
    return standing
  }
}
