package import CivilTime
import Evidence
package import Ledger
import RewardRules

/// A review of a user's closed days. The timeline needs a history.
package struct PastReview {
  private let timeline: Timeline
  private let now: Instant
  private let zoneChanges: [ClosedRange<Instant>]

  /// Creates a review of what `timeline` holds at `now`. Within `zoneChanges` a newer time zone database came into use, and may have moved
  /// the ends of days that were open.
  package init(_ timeline: Timeline, now: Instant, zoneChanges: [ClosedRange<Instant>] = []) {
    self.timeline = timeline
    self.now = now
    self.zoneChanges = zoneChanges
  }

  /// The closed days that wait for a plan, in order. A plan would change something on them, because of late facts of
  /// that day or as a consequence of an earlier day.
  package var waitingDays: [Day] {
    let changes = UserPlan(timeline, .waiting(now: now)).records
    if changes.isEmpty { return [] }
    let known = timeline.evaluate(.closed).days
    let all = timeline.evaluate(
      .closed, cutoff: .everything(in: PlanTerms.allDays, through: .max)
    ).days
    let changed = Set(changes.compactMap(\.changedDay))
    return zip(known, all).filter { known, all in
      if changed.contains(known.day) { return true }
      // A late fact that changes only levels names no day. If it changes nothing by itself, its day does not wait.
      let isJudgedAnew = !known.facts.isEquivalent(to: all.facts) || known.rules !== all.rules
      return isJudgedAnew
        && !UserPlan(timeline, .waiting(on: known.day...known.day, now: now)).records.isEmpty
    }.map(\.0.day)
  }

  /// The closed days of the history as they were judged at their close, if the ledger holds exactly what it should for them, both by what
  /// was known then and by all that is known now. They may then be forgotten.
  ///
  /// Nil if this cannot be determined without the user's lines from the beginning.
  package var proved: [EvaluatedDay]? {
    guard let history = timeline.history, !history.isIncomplete, timeline.account.stopped == nil
    else { return nil }
    let known = PlanTerms(
      plan: "audit", days: nil, protection: .nothing, through: .max, now: now)
    let evaluation = timeline.evaluate(.closed, cutoff: known.cutoff)
    guard UserPlan(timeline, known, evaluation: evaluation).records.isEmpty, misplaced.isEmpty
    else { return nil }
    if hasLateFacts(history), !UserPlan(timeline, .waiting(now: now)).records.isEmpty { return nil }
    let days =
      history.days.allSatisfy { $0.known == $0.seq }
      ? evaluation.days : timeline.evaluate(.closed, cutoff: .whatTheCloseKnew).days
    return misnamed(among: days).isEmpty ? days : nil
  }

  /// The closed days of which a line about the streak says something else than how they were judged at their close, each with what is wrong.
  /// `days` are the days as they were judged then.
  package func misnamed(among days: [EvaluatedDay]) -> [(day: Day, problem: String)] {
    guard let history = timeline.history, !history.marks.isEmpty else { return [] }
    let judged = Dictionary(days.map { ($0.day, $0.outcome.streakClass) }) { first, _ in first }
    return history.marks.values.compactMap { mark -> (Day, String)? in
      // A plan repairs a day however it was judged.
      guard let what = mark.what, what != .repaired, judged[mark.day]?.change != what else {
        return nil
      }
      return (mark.day, "a line calls the day \(what.rawValue), but it was not judged so")
    }.sorted { $0.0 < $1.0 }
  }

  /// The standing grants of closed days that take effect at another instant than their evidence, or name a line that is no evidence for them
  /// on that day, each with what is wrong.
  package var misplaced: [(grant: StandingGrant, problem: String)] {
    guard let history = timeline.history else { return [] }
    let days = history.days
    let places = Dictionary(days.indices.map { (days[$0].day, $0) }) { first, _ in first }
    return history.grants.indices.compactMap { index in
      let grant = history.grants[index]
      guard let place = places[grant.day], grant.net.isSomething,
        !mayHaveMoved(days[place].window.window)
      else { return nil }
      let window = days[place].window.window
      // While away, a credit may lift the user to a level; a gift then counts to the day of leaving.
      let end =
        grant.key?.day == nil ? timeline.nextDay(afterClosed: place) : window.end
      guard let key = grant.key else {
        // A later move may have extended the day before.
        let start = days[max(0, place - 1)].window.window.start
        return grant.isManual && !(start..<end).contains(grant.effective)
          ? (grant, "it takes effect at \(grant.effective), outside \(grant.day)") : nil
      }
      // A plan may find that a level was reached on another day than the one that its reward counts to.
      if key.day == nil, grant.adjustments > 0 { return nil }
      if grant.effective < window.start || grant.effective >= end {
        return (grant, "it takes effect at \(grant.effective), outside \(grant.day)")
      }
      guard grant.evidence != 0, key.day != nil else { return nil }
      guard let found = history.evidence(in: grant.evidence)?.activity,
        let effective = found.effective(in: window, counting: .overlaps),
        !key.isMission(otherThan: found.kind)
      else { return (grant, "line \(grant.evidence) is not evidence for it") }
      if effective == grant.effective || isLasting(key, on: grant.day) { return nil }
      return (
        grant, "it takes effect at \(grant.effective), but line \(grant.evidence) at \(effective)"
      )
    }
  }

  /// Returns whether the mission of the key is met only after some time.
  private func isLasting(_ key: RewardKey, on day: Day) -> Bool {
    guard case .mission(_, let kind) = key else { return false }
    return timeline.rules.documents.contains {
      $0.effectiveFrom <= day && $0.missions.lasting.contains(kind)
    }
  }

  /// Returns whether a day had another window while it was open.
  private func mayHaveMoved(_ window: DayWindow) -> Bool {
    let open =
      window.start.adding(
        seconds: -Self.mostAheadSeconds)...window.end.adding(seconds: Self.mostAheadSeconds)
    return zoneChanges.contains { $0.overlaps(open) }
  }

  /// No zone moves a day by more, in seconds.
  private static let mostAheadSeconds: Int64 = 2 * 86_400

  /// Returns whether anything is known about a closed day that was not known when it was judged.
  private func hasLateFacts(_ history: AccountHistory) -> Bool {
    let (account, rules) = (timeline.account, timeline.rules)
    return history.days.contains { day in
      let window = day.window.window
      return day.known < rules.lastChange
        && timeline.rules(on: day.day, asOf: .max) !== timeline.rules(on: day.day, asOf: day.known)
        || timeline.excuses.contains {
          $0.seq > day.known && $0.covers(account.id, on: day.day)
        }
        || timeline.evidence.contains {
          $0.seq > day.known && $0.activity.effective(in: window, counting: .overlaps) != nil
        }
        || timeline.credits.contains {
          $0.seq > day.known && $0.credit.effective >= window.start
            && $0.credit.effective < account.boundary
        }
    }
  }
}

extension RewardKey {
  /// Returns whether it is the key of another mission than that of `kind`.
  fileprivate func isMission(otherThan kind: ActivityKind) -> Bool {
    if case .mission(_, let own) = self { own != kind } else { false }
  }
}

extension RecordBody {
  /// The day on which a plan's record changes something.
  fileprivate var changedDay: Day? {
    switch self {
    case .grant(let grant): grant.day
    case .streak(let streak): streak.day
    default: nil
    }
  }
}

extension DayFacts {
  /// Returns whether the rules cannot tell two views of one day apart.
  fileprivate func isEquivalent(to other: DayFacts) -> Bool {
    met == other.met && uncovered == other.uncovered && isExcused == other.isExcused
      && credits == other.credits && durations == other.durations
      && met.kinds.allSatisfy { self[$0] == other[$0] }
  }
}
