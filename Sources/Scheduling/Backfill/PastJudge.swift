import CivilTime
import Evidence
import Ledger
import RewardRules

/// Judges the closed days of one user again, with what came late. Pure.
///
/// Days within the range are judged by all that is recorded; of the others what was known when they were closed, or was
/// brought in by an earlier backfill, stays what it was. The rules of the live service do the judging.
struct PastJudge {
  let past: UserPast
  let context: JudgeContext
  let range: ClosedRange<Day>

  /// A closed day as it should be.
  struct JudgedDay {
    let closed: PastDay
    let facts: DayFacts
    let outcome: DayOutcome
  }

  /// Every closed day in order, and the state after the last; `trace` takes the steps of the day `traced`.
  func judge(
    tracing traced: Day? = nil, into trace: inout [TraceStep]
  ) -> (days: [JudgedDay], state: AccountState) {
    var state = past.reopened.state
    let standing = past.reopened.standing
    var facts = PastFacts(past: past, context: context, range: range)
    var waivers = waivers[...]
    var days: [JudgedDay] = []
    days.reserveCapacity(past.days.count)
    for closed in past.days {
      guard let rules = context.rules.rules(on: closed.day) else { continue }
      take(&waivers, before: closed.window.start, into: &state)
      let facts = facts.facts(of: closed, rules)
      var steps: [TraceStep]? = closed.day == traced ? [] : nil
      let outcome = Judge(rules: rules).judge(
        facts, account: &state, standing: standing, user: past.account.id, draws: context.draws,
        trace: &steps)
      if let steps { trace = steps }
      days.append(JudgedDay(closed: closed, facts: facts, outcome: outcome))
    }
    take(&waivers, before: past.account.boundary, into: &state)
    return (days, state)
  }

  /// What earlier plans let the user keep, in order of effect.
  private var waivers: [StandingGrant] {
    past.reopened.grants.filter(\.isWaived)
      .sorted { $0.effective < $1.effective }
  }

  /// Takes in the waivers that stood when a day began. They lift no level: the rewards of what a user keeps are kept by
  /// the waiver itself.
  private func take(
    _ waivers: inout ArraySlice<StandingGrant>, before start: Instant,
    into state: inout AccountState
  ) {
    while let waiver = waivers.first, waiver.effective <= start {
      waivers.removeFirst()
      state.take(waiver, caps: context.rules.rules(on: waiver.day)?.levels.caps ?? [])
    }
  }
}
