package import CivilTime
package import Ledger
import RewardRules

extension RosterImport {
  /// Returns what of the opening balances and ended days in `bodies` takes two people, in words; nil if `actor` may bring all of it
  /// in alone.
  static func excess(
    of bodies: [RecordBody], by actor: String, in state: WorkingState
  ) -> String? {
    let (ledger, at) = (state.ledger, max(state.clock.now(), state.ledger.at))
    var all: DayCredits.Sums = [:]
    for body in bodies {
      guard case .user(let user) = body else { continue }
      let given = body.givenByHand(ledger.rules)
      all = all.adding(given)
      if let excess = ledger.excess(ofMonth: given, to: user.user, all: all, by: actor, at: at)
        ?? pastExcess(of: user, at, ledger)
      {
        return excess
      }
    }
    return ledger.handLimits.excess(of: all.amounts)
  }

  /// Returns why the days of a new user that have ended take two people, in words: with activities handed in they may bring more
  /// points than one person may give.
  package static func pastExcess(
    of user: UserRecord, _ now: Instant, _ ledger: LedgerState
  ) -> String? {
    guard let since = user.since else { return nil }
    let days = Int64(DayCredits.day(of: now).number) - Int64(since.number)
    let rules = ledger.rules.current?.rules(on: since) ?? .builtIn
    let worth = rules.pointsOfBestDay.multipliedSaturated(by: max(0, days))
    let most = ledger.handLimits.byHand.points
    if worth <= most { return nil }
    return
      "\(worth) points in the \(days) days of \(user.user) that have ended, at most (the limit for one person, approval.pointsByHand, is \(most))"
  }
}
