package import CivilTime
import Evidence
package import Ledger
package import RewardRules

/// One user's contribution to a zone's close.
package struct DayClose: Sendable {
  /// The user's lines before the close.
  package let draft: Draft
  /// The line right after the close, with which a move takes effect; nil for a user who stays.
  package let moving: UserRecord?
  /// How the day was judged.
  package let counts: CloseCounts
  /// How many missions are unknown only because the user came during the day.
  package let unknownOfNewcomer: Int
  /// The sum of the day's grants.
  package let amounts: Amounts

  /// Closes the first of the user's open days, the only one that `days` has evaluated; nil if no rules are in force on
  /// it.
  ///
  /// Does not repeat lines that an interrupted close has written. `next` is the start and the zone of the following
  /// day for a user who moves or has left; nil for a user who continues in the zone in which this day ends.
  package init?(_ days: OpenDays, next: (from: Instant, zone: String)?) {
    guard let day = days.days.first else { return nil }
    let timeline = days.timeline
    var days = days
    counts = CloseCounts(of: day)
    unknownOfNewcomer = timeline.unknownOfNewcomer(on: day)
    if let line = Self.streakLine(of: day, timeline) { days.append(line) }
    for line in Self.unknowns(of: day, timeline) { days.append(line) }
    draft = days.draft
    var amounts = timeline.account.grants.open.standingAmounts(through: day.day)
    for case .grant(let grant) in draft.bodies where grant.day <= day.day {
      amounts += grant.reward.amounts
    }
    self.amounts = amounts
    moving = next.map {
      UserRecord(user: timeline.account.id, zone: $0.zone, from: $0.from, takesEffect: day.day)
    }
  }

  private static func streakLine(of day: EvaluatedDay, _ timeline: Timeline) -> RecordBody? {
    let outcome = day.outcome
    guard let what = outcome.streakClass.change else { return nil }
    let mark = DayMark(day: outcome.day, what: what, after: StreakMark(outcome.streakAfter))
    let recorded = timeline.account.marks.first { $0.day == mark.day }
    if recorded == mark { return nil }
    let told = timeline.recordedStreak(on: outcome)
    let isToldOtherwise = told.map { $0 != mark.after } ?? false
    let isNamedOtherwise = recorded?.what.map { $0 != what } ?? false
    let isChanged = what != .repaired && outcome.streakBefore.length > 0
    guard isToldOtherwise || isNamedOtherwise || isChanged else { return nil }
    return .streak(
      StreakRecord(
        user: timeline.account.id, day: outcome.day, what: what,
        before: StreakMark(outcome.streakBefore), after: mark.after,
        proof: what == .broken ? timeline.proof(of: day) : []))
  }

  private static func unknowns(of day: EvaluatedDay, _ timeline: Timeline) -> [RecordBody] {
    let recorded = timeline.account.unknowns.first { $0.day == day.day }?.kinds ?? []
    return day.facts.uncovered.subtracting(recorded).kinds.map { kind in
      .unknown(
        UnknownRecord(
          user: timeline.account.id, day: day.day, mission: kind,
          gaps: day.facts.gaps.filter { $0.kind == kind }))
    }
  }
}

extension Timeline {
  /// Returns the streak after an open day as stated by a line that no adjustment can replace: the day's mark or,
  /// failing that, a reversed login. Nil if there is none, or if a line about the login states the streak, because it is
  /// granted or held back.
  func recordedStreak(on outcome: DayOutcome) -> StreakMark? {
    let (day, key) = (outcome.day, RewardKey.login(outcome.day))
    if outcome.grants.contains(where: { $0.key == key })
      || outcome.heldBack.contains(where: { $0.key == key })
    {
      return nil
    }
    let login = grants.indices.first { grants[$0].key == key && !grants[$0].isVoid }
    if let login, !grants[login].isReversed { return nil }
    return account.marks.first { $0.day == day }?.after ?? login.flatMap { grants[$0].streak }
  }
}

extension DayOutcome.StreakClass {
  /// The word for the class in a ledger line; nil while the day is pending.
  var change: StreakChange? {
    switch self {
    case .missed: .broken
    case .held: .held
    case .excused: .excused
    case .counted: .repaired
    case .pending: nil
    }
  }
}

extension CloseCounts {
  /// Creates the counts of one user's day.
  package init(of day: EvaluatedDay) {
    self.init()
    for kind in day.rules.missions.kinds.kinds {
      switch day.facts.verdict(kind) {
      case .met: met += 1
      case .notMet: notMet += 1
      case .unknown: unknown += 1
      }
    }
    let hadStreak = day.outcome.streakBefore.length > 0
    streaks = hadStreak ? 1 : 0
    switch day.outcome.streakClass {
    case .counted: counted = 1
    case .missed:
      missed = 1
      broken = streaks
    case .held, .pending: held = 1
    case .excused: excused = 1
    }
  }
}

extension Timeline {
  /// Returns how many missions of a day are unknown only because the user was not known yet when it began. That may be
  /// so on the first judged day.
  fileprivate func unknownOfNewcomer(on day: EvaluatedDay) -> Int {
    guard day.day == account.firstDay,
      let known = account.absences.first(where: { $0.from == .earliest })?.to
    else { return 0 }
    return day.rules.missions.kinds.kinds.count { kind in
      guard day.facts.verdict(kind) == .unknown, !day.facts.outlasted.contains(kind)
      else { return false }
      let gaps = day.facts.gaps.filter { $0.kind == kind }
      // The first poll comes some time after the user; one that failed, or came too late, is another matter.
      return !gaps.isEmpty
        && gaps.allSatisfy {
          $0.from < known
            && (kind.source == .inbox
              ? $0.to <= known
              : $0.cause == Gap.notPolled && $0.to <= known.adding(seconds: terms.firstPollSeconds))
        }
    }
  }

  /// Returns which sources prove that nothing happened on a day.
  fileprivate func proof(of day: EvaluatedDay) -> [StreakProof] {
    let kinds = day.rules.streak.countsAs.intersection(day.facts.watched).kinds
    let sources = Set(kinds.flatMap(terms.sources)).sorted { $0.rawValue < $1.rawValue }
    return sources.map { source in
      // A source's gap appears once for each of its kinds.
      let tolerated = day.facts.tolerated.lazy.filter { $0.kind.source == source }
      let gaps = Set(tolerated.map { Coverage.Interval(from: $0.from, to: $0.to) })
      let seconds = gaps.reduce(0) { $0 + $1.to.seconds(since: $1.from) }
      return StreakProof(
        source: source,
        through: source == .inbox
          ? inboxThrough : looks[source].coverage.coveredThrough(from: day.window.start),
        looks: looks[source].looks, toleratedSeconds: seconds)
    }
  }
}
