import Configuration
import Failures
import Foundations
import Ledger
import LedgerStore
import RewardRules
package import Scheduling

/// Releases grants that a limit of the rules holds back.
package struct Release: Sendable {
  private let runtime: Runtime

  /// Creates releases for the ledger that this process holds.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Releases the grant under `key` and appends what depends on it; does nothing if it is already released. What is too much for one
  /// person takes two; `id` is the request that the actor approves.
  ///
  /// Throws ``Failures/Failure`` when nothing is held back under that key or closed days of the user wait for a backfill,
  /// ``BackfillApplication/Refusal``, ``LedgerStore/LedgerError`` or ``Configuration/SecretError``, and like
  /// ``Scheduling/SecondActor/carryOut(_:approving:actor:_:)``.
  package func release(
    _ key: String, reason: String, actor: String, approving id: String? = nil
  ) async throws -> AppendCounts {
    let notHeldBack = Failure(
      .badData, "nothing is held back under this key", place: key,
      remedy: "See rewards ledger export --type refused.")
    let user = GrantKey(key).user
    guard let rewardKey = RewardKey(text: key),
      let account = await runtime.writer.read({ $0.ledger.account(of: user) })
    else { throw notHeldBack }
    if account.released.contains(rewardKey) { return AppendCounts() }
    guard account.heldBack.contains(rewardKey) else { throw notHeldBack }
    let act = OperatorRecord(act: .release, subject: key, reason: reason, actor: actor)
    let (plan, held) = try await plan(act, of: user)
    try plan.requireNothingWaits(place: key)
    // The current day is re-evaluated afterwards: it will give what was held back.
    let given = plan.amounts.isZero ? held : plan.amounts
    let big = BigAct.release(key, given, reason: reason)
    return try await runtime.secondActor.carryOut(big, approving: id, actor: actor) { request in
      let limits = await runtime.writer.read { $0.ledger.handLimits }
      if request == nil, let excess = limits.excess(of: given) ?? limits.excess(of: held) {
        throw HandExcess(text: excess)
      }
      var (act, plan) = (act, plan)
      if let request {
        act.request = request
        plan = try await self.plan(act, of: user).plan
        // Two people agreed on these amounts, and on no others.
        if plan.amounts != given, !plan.amounts.isZero {
          throw BackfillApplication.Refusal.outdated([user])
        }
      }
      let receipt = try await BackfillApplication(runtime).apply(plan, by: nil)
      var counts = receipt.planned
      counts += receipt.running
      return counts
    }
  }

  /// Returns the plan that holds this act and what depends on it, and what is held back.
  private func plan(
    _ act: OperatorRecord, of user: String
  ) async throws -> (plan: BackfillPlan, held: Amounts) {
    let planner = BackfillPlanner(runtime.configuration, runtime.environment)
    let configuration = runtime.configuration
    return try await BlockingThread(named: "rewards.release").run {
      let reader = try LedgerReader.open(configuration.directory)
      let (plan, _) = try planner.plan(
        BackfillOrder(days: nil, users: [user]), reader: reader, users: [user],
        naming: "release \(act.subject)"
      ) { _, _ in [.operator(act)] }
      return (plan, try Self.heldBack(act.subject, of: user, reader))
    }
  }

  /// Returns the amounts that the last line about `key` holds back.
  static func heldBack(
    _ key: String, of user: String, _ reader: LedgerReader
  ) throws -> Amounts {
    var held = Amounts()
    try reader.scan(.of(.named([user]))) { record in
      guard case .refused(let refused) = record.body, refused.what == .heldBack,
        refused.key == key
      else { return }
      held = refused.amounts
    }
    return held
  }
}
