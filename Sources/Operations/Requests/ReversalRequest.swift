import Configuration
package import Described
import Engine
import Failures
import Ledger
import RewardRules
import Scheduling

/// Reverses a grant and everything that depends on it, or undoes a reversal: `rewards reverse`.
package struct ReversalRequest: Request {
  /// `reverse`.
  package static let name = "reverse"

  private let key: String
  /// Whether to undo a reversal.
  package let isUndone: Bool
  private let isBelowZero: Bool
  private let balances: String?
  private let reason: String
  private let actor: String?
  private let approving: String?
  /// Lines of ``OutsideBalance``.
  package var input: [UInt8]

  /// Creates a reversal of the grant under `key`. `input` holds the users' remaining balances, one per line, from the file
  /// `balances`; with `isBelowZero`, more than those may be taken.
  package init(
    of key: String, isUndone: Bool, isBelowZero: Bool, balances: String?, _ input: [UInt8],
    reason: String, actor: String?, approving: String?
  ) {
    self.input = input
    self.key = key
    self.isUndone = isUndone
    self.isBelowZero = isBelowZero
    self.balances = balances
    self.reason = reason
    self.actor = actor
    self.approving = approving
  }

  /// The result of a reversal.
  package struct Report: Sendable {
    /// The grant's key.
    package let key: String
    /// The consequences; none when it was reversed before.
    package let impact: Impact
  }

  /// Appends the reversal and its consequences; throws when closed days of the user wait for a backfill.
  package func perform(at place: Place) async throws -> Report {
    let runtime = place.runtime
    var selection = GrantSelection()
    selection.keys = [key]
    do {
      let reason = try Reason.check(reason)
      let actor = try place.actor(actor)
      let left = try balances.map { try OutsideBalance.read(input, of: $0) } ?? []
      let (plan, impact) = try await ReversalPlanner(runtime.configuration, runtime.environment)
        .plan(
          selection, in: LedgerReading.open(runtime.directory), undoing: isUndone,
          protection: isBelowZero ? .nothing : .balances,
          balances: left.filter { runtime.configuration.holds($0.user) }, reason: reason,
          actor: actor)
      try plan.requireNothingWaits(place: key)
      if !plan.users.isEmpty {
        let line = await lastAmendment(at: runtime)
        let act = BigAct.reversal(
          isUndone: isUndone,
          of: "\(key): \(plan.amountsByHand.text), as of line \(line)", reason: reason)
        _ = try await BackfillApplication(runtime).apply(
          plan, act, by: actor, approving: approving)
      }
      return Report(key: key, impact: impact)
    } catch let refusal as BackfillApplication.Refusal {
      throw refusal.failure.placed(at: key)
    }
  }

  /// Returns the last line that changed the user's closed days or reversed something.
  ///
  /// An approval applies only to that state, and is used up once it is carried out.
  private func lastAmendment(at runtime: Runtime) async -> UInt64 {
    await runtime.writer.read { state in
      state.ledger.account(of: GrantKey(key).user)?.amended ?? 0
    }
  }
}

extension ReversalRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    isUndone = try coder.field("undo", value?.pointee.isUndone)
    isBelowZero = try coder.field("belowZero", value?.pointee.isBelowZero)
    balances = try coder.optional("balances", value?.pointee.balances)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
    input = []
  }
}
