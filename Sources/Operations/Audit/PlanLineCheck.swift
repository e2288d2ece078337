import CivilTime
import Engine
import Ledger
import RewardRules

/// Checks a plan's lines for one user against each other: nothing follows the state that it leaves, and a waiver gives back no more than the
/// plan takes. Begins anew with each act.
///
/// Its findings belong to ``DerivedLineCheck``.
struct PlanLineCheck: Sendable {
  /// The time at which a plan has stated the state of each user.
  private var settled: [String: Instant] = [:]
  /// What the last plan for each user gave and took so far.
  private var plans: [String: (cause: String, totals: RecordTotals)] = [:]

  /// Examines a record about the user of `account`, which is as it was before; returns what is wrong.
  mutating func problem(in record: Record, of account: Account) -> String? {
    let (user, body) = (account.id, record.body)
    let goesOn = settled[user] == record.at && body.isOfPlan(for: account)
    if body.settled != nil { settled[user] = record.at }
    var excess: String?
    if let cause = body.plannedCause {
      if plans[user]?.cause != cause { plans[user] = (cause, RecordTotals([])) }
      if case .grant(let grant) = body, grant.isFor(.waived), !grant.isAdjustment,
        let totals = plans[user]?.totals
      {
        excess = Self.excess(of: grant.reward, over: totals, account)
      }
      plans[user]?.totals.add(body)
    }
    return goesOn ? "a plan goes on behind the state that it leaves" : excess
  }

  /// Returns what a waiver gives beyond what its plan took by then, in words.
  private static func excess(
    of waiver: Reward, over totals: RecordTotals, _ account: Account
  ) -> String? {
    let lost = Amounts { max(0, (-totals.amounts)[$0]) }
    if RewardUnit.allCases.contains(where: { waiver.amounts[$0] > lost[$0] }) {
      return "a waiver of \(waiver.amounts.text), but the plan takes \(lost.text)"
    }
    if let item = waiver.items.first(where: { !totals.lostItems.contains($0) }) {
      return "a waiver of \(item), which the plan does not take"
    }
    // Time that was lost follows what is left; a booster that runs goes on.
    guard let booster = waiver.booster, booster.until > account.state.boosterUntil ?? .earliest,
      booster.until.seconds(since: booster.from) > account.boosterSeconds
    else { return nil }
    return "a waiver of a booster until \(booster.until), longer than the user has ever had one"
  }
}

extension RecordBody {
  /// The plan that gives or takes by it, as grants name it.
  fileprivate var plannedCause: String? {
    switch self {
    case .grant(let grant): grant.isPlanned ? grant.cause : nil
    case .reversal(let reversal): reversal.plan.map { GrantRecord.cause(ofPlan: $0) }
    default: nil
    }
  }

  /// Returns whether it is what a plan does to the closed days of its user's account.
  fileprivate func isOfPlan(for account: Account) -> Bool {
    switch self {
    case .grant(let grant): grant.isPlanned
    case .streak(let streak): streak.day <= account.boundaryDay
    case .level(let level): level.effective < account.boundary || level.exp != nil
    case .refused(let refused): refused.day.map { $0 <= account.boundaryDay } ?? false
    default: false
    }
  }
}
