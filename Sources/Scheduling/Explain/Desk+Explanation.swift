public import CivilTime
import RewardRules

extension Desk {
  /// Explains an open day of a user as it is judged now; nil when the user has no such open day, or no rules are in force
  /// on it. Throws when a zone of the user is unknown.
  public mutating func explanation(
    of day: Day, user: Int, now: Instant
  ) throws(ZoneError) -> DayExplanation? {
    guard var judge = try judge(of: user, now: now, cause: "live") else { return nil }
    judge.tracedDay = day
    judge.judge()
    guard let judged = judge.days.first(where: { $0.window.day == day }) else { return nil }
    return DayExplanation(
      window: judged.window, isClosed: false, rules: context.rules.rules(on: day)?.version ?? "",
      facts: judged.facts, outcome: judged.outcome, trace: judge.trace)
  }
}
