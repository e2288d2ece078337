import CivilTime
import Evidence
import Ledger
import RewardRules

/// What one user adds to a zone's close.
struct UserClose: Sendable {
  var draft: Draft
  /// Appended with the close itself: the lines by which a zone change takes effect.
  var boundary: [RecordBody] = []
  var counts = CloseCounts()
  var points: Int64 = 0
  var exp: Int64 = 0
  var hasUnknown = false
}

extension UserJudge {
  /// The lines of this user for the close of `window` in the zone; `judge()` must have run.
  ///
  /// Lines that an interrupted close has written already are not written again.
  func close(of window: DayWindow) -> UserClose {
    var close = UserClose(draft: draft)
    let closing = days.filter { $0.facts.isClosing }
    for day in closing {
      count(day, into: &close)
      addStreakLine(of: day, to: &close.draft)
      addUnknowns(of: day, to: &close)
    }
    for grant in account.grants where grant.day <= window.day && !grant.isReversed {
      close.points += grant.net.points
      close.exp += grant.net.exp
    }
    for case .grant(let grant) in draft.bodies where grant.day <= window.day {
      close.points += grant.reward.points
      close.exp += grant.reward.exp
    }
    if let last = closing.last, account.changes.contains(where: { $0.at < last.window.end }) {
      close.boundary.append(.user(takingEffect(after: last.window)))
    }
    return close
  }

  private func count(_ day: JudgedDay, into close: inout UserClose) {
    for kind in context.rules.rules(on: day.window.day)?.missions.kinds.kinds ?? [] {
      switch day.facts.verdict(kind) {
      case .met: close.counts.met += 1
      case .notMet: close.counts.notMet += 1
      case .unknown: close.counts.unknown += 1
      }
    }
    let hadStreak = day.outcome.streakBefore.length > 0
    close.counts.streaks += hadStreak ? 1 : 0
    switch day.outcome.streakClass {
    case .counted: close.counts.counted += 1
    case .missed:
      close.counts.missed += 1
      close.counts.broken += hadStreak ? 1 : 0
    case .held, .pending: close.counts.held += 1
    case .excused: close.counts.excused += 1
    }
  }

  private func addStreakLine(of day: JudgedDay, to draft: inout Draft) {
    let outcome = day.outcome
    let what: StreakChange
    switch outcome.streakClass {
    case .missed: what = .broken
    case .held: what = .held
    case .excused: what = .excused
    case .counted, .pending: return
    }
    guard outcome.streakBefore.length > 0 else { return }
    let mark = DayMark(day: outcome.day, what: what, after: StreakMark(outcome.streakAfter))
    if account.marks.contains(mark) { return }
    draft.bodies.append(
      .streak(
        StreakRecord(
          user: account.id, day: outcome.day, what: what,
          before: StreakMark(outcome.streakBefore), after: mark.after,
          proof: what == .broken ? proof(of: day.facts) : [])))
  }

  /// Which sources prove that nothing happened on a day.
  private func proof(of facts: DayFacts) -> [StreakProof] {
    let kinds = context.rules.rules(on: facts.window.day)?.streak.countsAs ?? []
    let sources = Set(kinds.intersection(facts.watched).kinds.map(\.source))
    return sources.sorted { $0.rawValue < $1.rawValue }.map { source in
      let tolerated = facts.tolerated.filter { $0.kind.source == source }
      let seconds = tolerated.reduce(0) { $0 + $1.to.seconds(since: $1.from) }
      return StreakProof(
        source: source,
        through: source == .inbox
          ? inboxThrough : histories[source].coverage.coveredThrough(from: facts.window.start),
        looks: histories[source].looks, toleratedSeconds: seconds)
    }
  }

  private func addUnknowns(of day: JudgedDay, to close: inout UserClose) {
    let missions = context.rules.rules(on: day.window.day)?.missions.kinds ?? []
    let unknown = missions.intersection(day.facts.uncovered)
    guard !unknown.isEmpty else { return }
    close.hasUnknown = true
    let recorded = account.unknowns.first { $0.day == day.window.day }?.kinds ?? []
    for kind in unknown.subtracting(recorded).kinds {
      close.draft.bodies.append(
        .unknown(
          UnknownRecord(
            user: account.id, day: day.window.day, mission: kind,
            gaps: day.facts.gaps.filter { $0.kind == kind })))
    }
  }

  private func takingEffect(after window: UserWindow) -> UserRecord {
    let zone = account.changes.last { $0.at < window.end }?.zone ?? window.zone
    return UserRecord(user: account.id, zone: zone, from: window.end, takesEffect: window.day)
  }
}
