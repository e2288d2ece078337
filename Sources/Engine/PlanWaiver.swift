import CivilTime
import Ledger
import RewardRules

/// How much of a plan's losses a waiver gives back.
package enum LossProtection: String, Sendable {
  /// All: users keep everything they were given.
  case everything
  /// Enough to keep every balance of points or coins, and exp, from falling below zero.
  case balances
  /// Nothing.
  case nothing
}

/// The waiver for what a plan takes from one user. Pure.
struct PlanWaiver {
  let timeline: Timeline
  /// The account as it stands.
  let before: Account
  /// The state after the last closed day, as it should be.
  let due: AccountState
  /// All records that the plan appends for the user.
  let records: [RecordBody]
  /// The user's balances elsewhere; nil if only the ledger's sums are known.
  let holdings: Amounts?
  /// When the plan is made.
  let now: Instant

  /// Returns the waiver; empty if there is nothing to give back.
  func reward(_ protection: LossProtection) -> Reward {
    switch protection {
    case .nothing: Reward()
    case .balances: whatIsMissingToZero
    case .everything: allThatIsLost
    }
  }

  private var allThatIsLost: Reward {
    let totals = RecordTotals(records)
    let net = totals.amounts
    var waived = Reward()
    waived.amounts = Amounts { max(0, (-net)[$0]) }
    waived.baseExp = waived.exp
    waived.items = totals.lostItems.subtracting(due.owned).sorted()
    waived.booster = lostBooster
    return waived
  }

  /// A balance already below zero falls no further, and is not raised.
  private var whatIsMissingToZero: Reward {
    let net = RecordTotals(records).amounts
    var left = (holdings ?? before.holdings.sum) + net
    left.exp = due.exp
    var waived = Reward()
    waived.amounts = Amounts { max(0, min((-left)[$0], (-net)[$0])) }
    waived.baseExp = waived.exp
    return waived
  }

  /// The booster time lost, extended so that a booster running now ends no earlier than before.
  private var lostBooster: BoosterWindow? {
    let end = max(due.boosterUntil ?? .earliest, before.boundary)
    let running = before.state.boosterUntil.flatMap { $0 > now ? $0 : nil }
    let pause = running.flatMap { newPause(before: $0) }
    let from = pause?.from ?? end
    var lost = max(0, lostBoosterSeconds)
    if let pause { lost = max(0, lost - pause.until.seconds(since: pause.from)) }
    var until = lost > 0 ? min(end.adding(seconds: lost), .latest) : pause?.until ?? end
    if let running, running > end { until = max(until, running) }
    return until > from ? BoosterWindow(from: from, until: until) : nil
  }

  /// Returns a new pause before `running` without a booster, which arises because a booster waived by an earlier plan
  /// begins later.
  private func newPause(before running: Instant) -> BoosterWindow? {
    guard let pause = due.boosterPause, pause != before.state.boosterPause, pause.until > now
    else { return nil }
    let until = min(pause.until, before.state.boosterPause?.from ?? running, running)
    return pause.from < until ? BoosterWindow(from: pause.from, until: until) : nil
  }

  /// How many seconds shorter the boosters of closed days become, in total.
  private var lostBoosterSeconds: Int64 {
    var windows: [String: BoosterWindow] = [:]
    for grant in timeline.history?.grants ?? [] where !grant.isReversed {
      windows[grant.text] = grant.net.booster
    }
    let before = Self.seconds(windows)
    for case .grant(let grant) in records {
      windows[grant.baseKey] = grant.reward.booster
    }
    return before - Self.seconds(windows)
  }

  private static func seconds(_ windows: [String: BoosterWindow]) -> Int64 {
    windows.values.reduce(0) { $0 + $1.until.seconds(since: $1.from) }
  }
}
