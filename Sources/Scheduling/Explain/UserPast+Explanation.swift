public import CivilTime
public import Ledger
import RewardRules

extension UserPast {
  /// Explains a closed day; nil when the user has no such day, or no rules were in force on it.
  public func explanation(of day: Day, by context: JudgeContext) -> DayExplanation? {
    var trace: [TraceStep] = []
    // No day is judged by what came later: only what a backfill has brought in counts.
    let judge = PastJudge(past: self, context: context, range: BackfillTerms.noDay)
    let judged = judge.judge(tracing: day, into: &trace).days.first { $0.closed.day == day }
    return judged.map { judged in
      DayExplanation(
        window: judged.closed.window, isClosed: true,
        rules: context.rules.rules(on: day)?.version ?? "", facts: judged.facts,
        outcome: judged.outcome, trace: trace)
    }
  }
}
