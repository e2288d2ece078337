import CivilTime
import Ledger
import RewardRules

/// What a plan gives back of what it takes from one user. Pure.
struct BackfillWaiver {
  let past: UserPast
  /// The state behind the last closed day, as it should be.
  let state: AccountState
  /// All that the plan appends for the user.
  let records: [RecordBody]
  /// What the user has left elsewhere; nil when the ledger's own sums are all that is known.
  let holdings: Holdings?

  /// The waiver; nothing when nothing is to be given back.
  func reward(_ protection: LossProtection) -> Reward {
    switch protection {
    case .nothing: Reward()
    case .balances: whatIsMissingToZero
    case .everything: allThatIsLost
    }
  }

  private var allThatIsLost: Reward {
    let net = BackfillTotals(records)
    var waived = Reward()
    waived.points = max(0, -net.points)
    waived.baseExp = max(0, -net.exp)
    waived.exp = waived.baseExp
    waived.coins = max(0, -net.coins)
    waived.items = net.lostItems.subtracting(state.owned).sorted()
    let lostSeconds = lostBoosterSeconds
    if lostSeconds > 0 {
      let from = max(state.boosterUntil ?? .earliest, past.account.boundary)
      waived.booster = BoosterWindow(from: from, until: from.adding(seconds: lostSeconds))
    }
    return waived
  }

  /// A balance that is below zero already falls no further, and is not lifted.
  private var whatIsMissingToZero: Reward {
    let net = BackfillTotals(records)
    func missing(_ balance: Int64, _ net: Int64) -> Int64 {
      let (after, _) = balance.addingReportingOverflow(net)
      return max(0, min(-after, -net))
    }
    var waived = Reward()
    waived.points = missing(holdings?.points ?? past.account.points, net.points)
    waived.coins = missing(holdings?.coins ?? past.account.coins, net.coins)
    waived.baseExp = max(0, min(-state.exp, -net.exp))
    waived.exp = waived.baseExp
    return waived
  }

  /// By how much the boosters of closed days run shorter, all together.
  private var lostBoosterSeconds: Int64 {
    var windows: [String: BoosterWindow] = [:]
    for grant in past.reopened.grants where grant.day <= past.account.boundaryDay {
      if !grant.isReversed { windows[grant.text] = grant.net.booster }
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
