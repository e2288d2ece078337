package import CivilTime
package import Ledger
import RewardRules

extension RosterImport {
  /// Returns why what a record brings takes two people by itself, in words; nil if it does not.
  static func excess(of body: RecordBody, in state: WorkingState) -> String? {
    guard case .user(let user) = body else { return nil }
    let (ledger, now) = (state.ledger, max(state.clock.now(), state.ledger.at))
    let given = body.givenByHand(ledger.rules)
    let limits = ledger.handLimits
    return limits.excess(of: given.amounts)
      ?? limits.excess(ofMonth: given, adding: given, to: user.user)
      ?? pastExcess(of: user, now, ledger)
  }

  /// Returns why what all of these bring takes two people, in words; nil if `actor` may bring it in alone.
  static func excess(
    of bodies: [RecordBody], by actor: String, in state: WorkingState
  ) -> String? {
    let (ledger, now) = (state.ledger, max(state.clock.now(), state.ledger.at))
    let all = bodies.reduce(into: DayCredits.Sums()) {
      $0 = $0.adding($1.givenByHand(ledger.rules))
    }
    let limits = ledger.handLimits
    let before = ledger.hands.given(by: limits.person(actor), at: now)
    return limits.excess(of: all.amounts)
      ?? limits.excess(ofMonth: before.adding(all), adding: all, to: nil)
  }

  /// Returns why the days of a new user that have ended take two people, in words: with activities handed in they may bring more
  /// points than one person may give.
  package static func pastExcess(
    of user: UserRecord, _ now: Instant, _ ledger: LedgerState
  ) -> String? {
    guard let since = user.since else { return nil }
    let most = ledger.handLimits.byHand.points
    let today = DayCredits.day(of: now)
    var worth: Int64 = 0
    var day = since
    while day < today, worth <= most {
      let rules = ledger.rules.current?.rules(on: day) ?? .builtIn
      worth = worth.addingSaturated(rules.bestDay.points)
      day = day.adding(days: 1)
    }
    if worth <= most { return nil }
    return
      "the days of \(user.user) that have ended, from \(since) on, may bring more than \(most) points (the limit for one person, approval.pointsByHand)"
  }
}
