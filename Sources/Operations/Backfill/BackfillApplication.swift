import CivilTime
import Engine
package import Failures
import Ledger
import RewardRules
package import Scheduling

/// Appends a plan's records, each user's as a unit; safe to interrupt and run again.
package struct BackfillApplication: Sendable {
  /// The reason a plan was not applied; in that case nothing was written.
  package enum Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The plan was made on another ledger.
    case otherLedger
    /// Closed days of these users have changed since the plan was made.
    case outdated([String])
    /// The plan gives more points than allowed.
    case tooMuch(points: Int64, limit: Int64)

    /// The cause.
    package var description: String {
      switch self {
      case .otherLedger: "the plan was made for another ledger"
      case .outdated(let users):
        "since the plan was made, closed days have changed for \(users.count) users: "
          + users.prefix(5).joined(separator: ", ") + (users.count > 5 ? ", …" : "")
      case .tooMuch(let points, let limit):
        "the plan gives \(points) points, more than the \(limit) that --max-points allows"
      }
    }
  }

  private let runtime: Runtime

  /// Creates an application to the ledger that this process holds.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// The records that were appended.
  package struct Receipt: Sendable, Equatable {
    /// The part of the plan that was not in the ledger yet: exactly its records, and the messages about them.
    package let planned: AppendCounts
    /// The effects on the users' current days, which no plan includes because the service still evaluates them.
    package let running: AppendCounts
  }

  /// Applies a plan as an act of `actor`: alone, or if that is too much for one person, once two agree on it; `id` is the request that
  /// the actor approves. Throws like ``Scheduling/SecondActor/carryOut(_:approving:actor:_:)``, and ``Refusal``.
  func apply(
    _ plan: BackfillPlan, _ act: BigAct, by actor: String, approving id: String?,
    maxPoints: Int64? = nil, notifies: Bool = false
  ) async throws -> Receipt {
    try await runtime.secondActor.carryOut(act, approving: id, actor: actor) { request in
      try await apply(
        plan, by: actor, request: request, maxPoints: maxPoints, notifies: notifies)
    }
  }

  /// Appends what the ledger does not yet hold of the plan, then evaluates its users' current days.
  ///
  /// Applying a plan again appends nothing. The act of `actor` comes before the plan's records; nil for a plan that holds
  /// its act, as that of a release. `request` is the one that two people agreed on; without one, throws ``Scheduling/HandExcess`` for what
  /// takes two. `maxPoints` limits what the plan gives. With `notifies`, each user is notified once. Throws ``Refusal``
  /// before anything is written, or ``LedgerStore/LedgerError``.
  package func apply(
    _ plan: BackfillPlan, by actor: String?, request: String? = nil, maxPoints: Int64? = nil,
    notifies: Bool = false
  ) async throws -> Receipt {
    let (ledger, users) = await runtime.writer.read { state in
      (state.ledger.ledger, plan.users.compactMap { state.ledger.index(of: $0.user) })
    }
    guard ledger == plan.ledger else { throw Refusal.otherLedger }
    if let maxPoints, plan.pointsGiven > maxPoints {
      throw Refusal.tooMuch(points: plan.pointsGiven, limit: maxPoints)
    }
    let planner = BackfillPlanner(runtime.configuration, runtime.environment)
    let present = try await planner.plans(again: plan)
    let outdated = plan.users.filter { user in
      guard let now = present[user.user] else { return true }
      return now.map { $0.records != user.records } ?? false
    }
    if !outdated.isEmpty { throw Refusal.outdated(outdated.map(\.user)) }
    let due = plan.users.compactMap { present[$0.user] ?? nil }
    if let actor, request == nil, let excess = await excess(of: due, by: actor) {
      throw HandExcess(text: excess)
    }
    let planned: AppendCounts
    do {
      planned = try await PlanAppending(runtime.writer).append(
        due.map { $0.signed(by: actor) }, by: plan.signature(of: actor, request),
        telling: notifies ? plan.id : nil)
    } catch let error as PlanAppending.Outdated {
      throw Refusal.outdated(error.users)
    }
    let running = try await OpenDayEvaluation(runtime.writer).run(over: users)
    return Receipt(planned: planned, running: running)
  }

  /// Returns why these parts of a plan take two people, in words; nil if one is enough.
  private func excess(of users: [UserPlan], by actor: String) async -> String? {
    let now = runtime.clock.now()
    return await runtime.writer.read { state in
      users.excess(in: state.ledger, by: actor, at: max(now, state.ledger.at))
    }
  }
}

extension [[RecordBody]] {
  /// The amounts that the reversals of these users' plans give or take, without their consequences.
  var amountsByHand: Amounts {
    RecordTotals(lazy.flatMap { $0.prefix(while: \.isAct) }).amounts
  }
}

extension [UserPlan] {
  /// Returns why one person may not apply these alone, in words: for what reversals give or take, or for what users keep although it is no
  /// longer due. Nil if they may.
  fileprivate func excess(in ledger: LedgerState, by actor: String, at instant: Instant) -> String?
  {
    let waived = map { user in
      (user: user.user, sums: user.records.reduce([:]) { $0.adding($1.waived) })
    }
    let all: DayCredits.Sums = waived.reduce([:]) { $0.adding($1.sums) }
    let limits = ledger.handLimits
    return limits.excess(of: self.map(\.records).amountsByHand)
      ?? limits.excess(of: all.amounts).map { "waivers of \($0)" }
      ?? waived.lazy.compactMap { user, sums in
        ledger.excess(ofMonth: sums, to: user, all: all, by: actor, at: instant)
      }.first
  }
}

extension RecordBody {
  /// What a waiver lets a user keep, by the names of its parts.
  fileprivate var waived: DayCredits.Sums {
    isWaiver ? givenByHand(RuleHistory()) : [:]
  }

  /// Whether it lets a user keep what a plan takes.
  fileprivate var isWaiver: Bool {
    if case .grant(let grant) = self { grant.isFor(.waived) && !grant.isAdjustment } else { false }
  }
}

extension BigAct {
  /// Returns the act of applying a plan.
  static func plan(_ plan: BackfillPlan) -> BigAct {
    let kept = RecordTotals(plan.users.lazy.flatMap(\.records).filter(\.isWaiver)).amounts
    return BigAct(
      what: planWords(plan.id) + plan.amountsByHand.text
        + (kept.isZero ? "" : ", and waivers of \(kept.text)"),
      reason: plan.reason ?? "acts of a plan")
  }
}

extension BackfillPlan {
  /// Returns a function that makes the record of who applies the plan; nil for no one.
  fileprivate func signature(
    of actor: String?, _ request: String?
  ) -> (@Sendable ([UserPlan]) -> OperatorRecord)? {
    guard let actor else { return nil }
    return { users in
      var act = self.act(on: users, by: actor)
      act.request = request
      return act
    }
  }

  /// Returns the record of who applies the plan, with what is appended for these users.
  fileprivate func act(on users: [UserPlan], by actor: String) -> OperatorRecord {
    let totals = RecordTotals(users.lazy.flatMap(\.records))
    return OperatorRecord(
      act: .apply, subject: id,
      what: "\(totals.amounts.text); users \(users.count), records \(totals.records)",
      reason: order.days.map { "days \($0.lowerBound) to \($0.upperBound)" } ?? self.reason
        ?? "acts of a plan",
      actor: actor)
  }
}

extension UserPlan {
  /// Returns the same plan with reversals that name `actor`, because the one named in the file only wrote the plan.
  fileprivate func signed(by actor: String?) -> UserPlan {
    guard let actor else { return self }
    return mapRecords { body in
      guard case .reversal(var reversal) = body, reversal.actor != actor else { return body }
      reversal.actor = "\(actor), by a plan of \(reversal.actor)"
      return .reversal(reversal)
    }
  }
}

extension BackfillApplication.Refusal: FailureConvertible {
  /// A failure that says whether to make the plan again; nothing was appended.
  package var failure: Failure {
    switch self {
    case .outdated:
      Failure(
        .tryAgain, description,
        remedy: "Nothing was appended. Make the plan again and review it.")
    case .otherLedger, .tooMuch:
      Failure(.badData, description, remedy: "Nothing was appended.")
    }
  }
}
