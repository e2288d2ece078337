package import CivilTime
import Evidence
import Ledger
import RewardRules

/// A review of a user's closed days. The timeline needs a history.
package struct PastReview {
  private let timeline: Timeline
  private let now: Instant

  /// Creates a review of what `timeline` holds at `now`.
  package init(_ timeline: Timeline, now: Instant) {
    self.timeline = timeline
    self.now = now
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

  /// Whether the ledger holds exactly what it should for the closed days of the history, both by what was known when
  /// they were closed and by all that is known now. They may then be forgotten.
  ///
  /// False if this cannot be determined without the user's lines from the beginning.
  package var isProved: Bool {
    guard let history = timeline.history, !history.isIncomplete, timeline.account.stopped == nil
    else { return false }
    let known = PlanTerms(
      plan: "audit", days: nil, protection: .nothing, through: .max, now: now)
    guard UserPlan(timeline, known).records.isEmpty else { return false }
    guard hasLateFacts(history) else { return true }
    return UserPlan(timeline, .waiting(now: now)).records.isEmpty
  }

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
