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
    var days: [JudgedDay] = []
    for closed in past.days {
      guard let rules = context.rules.rules(on: closed.day) else { continue }
      let facts = facts(of: closed, rules)
      var steps: [TraceStep]? = closed.day == traced ? [] : nil
      let outcome = Judge(rules: rules).judge(
        facts, account: &state, standing: standing, user: past.account.id, draws: context.draws,
        trace: &steps)
      if let steps { trace = steps }
      days.append(JudgedDay(closed: closed, facts: facts, outcome: outcome))
    }
    return (days, state)
  }

  private func facts(of closed: PastDay, _ rules: RulesDocument) -> DayFacts {
    var facts = DayFacts(window: closed.window)
    facts.isClosing = true
    facts.watched = context.watched
    let evidence = evidence(for: closed)
    for kind in rules.neededKinds.kinds {
      if let touch = RecordedEvidence.touch(
        of: closed.window.window, by: kind, in: evidence, counting: rules.activity.counts)
      {
        facts[kind] = touch
      }
    }
    for kind in unknown(on: closed, rules).kinds where facts[kind] == nil {
      facts.uncovered.insert(kind)
    }
    facts.isExcused = isExcused(closed)
    facts.credits = past.reopened.credits
      .filter { closed.window.window.contains($0.effective) }
      .sorted { $0.effective < $1.effective }
    return facts
  }

  /// Within the range all evidence; elsewhere what came in time, and what an earlier backfill has used.
  private func evidence(for closed: PastDay) -> [RecordedEvidence] {
    if range.contains(closed.day) { return past.reopened.evidence }
    let used = Set(past.reopened.grants.filter { $0.day == closed.day }.compactMap(\.key))
    return past.reopened.evidence.filter { item in
      item.seq < closed.seq || used.contains(.mission(closed.day, item.activity.kind))
        || (item.activity.kind == .login && used.contains(.login(closed.day)))
    }
  }

  /// What the close could not tell: as recorded, and for the kinds that no record names, whenever somebody was held.
  private func unknown(on closed: PastDay, _ rules: RulesDocument) -> KindSet {
    var unknown = past.reopened.unknowns.first { $0.day == closed.day }?.kinds ?? []
    let mark = past.reopened.marks.first { $0.day == closed.day }
    let silent = rules.streak.countsAs.subtracting(rules.missions.kinds)
    switch mark?.what {
    case .broken: break
    case .held, .excused: unknown.formUnion(silent)
    // An earlier backfill has said what the day is: a break leaves nothing.
    case .repaired: if let mark, mark.after.length > 0 { unknown.formUnion(silent) }
    case nil: if closed.someWereHeld { unknown.formUnion(silent) }
    }
    return unknown
  }

  private func isExcused(_ closed: PastDay) -> Bool {
    past.excuses.contains { seq, excuse in
      excuse.from <= closed.day && closed.day <= excuse.to
        && (range.contains(closed.day) || seq < closed.seq || wasRepaired(closed.day))
    }
  }

  private func wasRepaired(_ day: Day) -> Bool {
    past.reopened.marks.contains { $0.day == day && $0.what == .repaired }
  }
}
