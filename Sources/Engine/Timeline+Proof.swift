public import CivilTime
import Evidence
import Ledger
import RewardRules

extension Timeline {
  /// Whether the closed days of the history stand in the ledger just as they should, by what was known when they were closed
  /// and by all that is known now: then they may be forgotten.
  ///
  /// False whenever that cannot be told without the user's lines from the beginning.
  public func isProved(now: Instant) -> Bool {
    guard let history, !history.isIncomplete, account.stopped == nil else { return false }
    let known = PlanTerms(
      plan: "audit", days: nil, protection: .nothing, through: .max, now: now)
    guard UserPlan(self, known).records.isEmpty else { return false }
    guard hasLateFacts(history) else { return true }
    return UserPlan(self, .waiting(now: now)).records.isEmpty
  }

  /// Whether something is known of a closed day that was not known when it was judged.
  private func hasLateFacts(_ history: AccountHistory) -> Bool {
    for day in history.days {
      if day.known < rules.lastChange,
        rules(on: day.day, asOf: .max) !== rules(on: day.day, asOf: day.known)
      {
        return true
      }
      if !excuses.isEmpty,
        excuses.contains(where: { $0.seq > day.known && $0.covers(account.id, on: day.day) })
      {
        return true
      }
      let window = day.window.window
      if evidence.contains(where: {
        $0.seq > day.known && $0.activity.effective(in: window, counting: .overlaps) != nil
      }) {
        return true
      }
      if credits.contains(where: {
        $0.seq > day.known && $0.credit.effective >= window.start
          && $0.credit.effective < account.boundary
      }) {
        return true
      }
    }
    return false
  }
}
