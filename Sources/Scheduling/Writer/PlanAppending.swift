package import Engine
package import Ledger
import RewardRules

/// Appends plans for closed days.
package struct PlanAppending: Sendable {
  /// The error that closed days of these users have changed since a plan was made; it was not appended.
  package struct Outdated: Error, Sendable, Equatable {
    /// The users' ids.
    package let users: [String]
  }

  private let writer: LedgerWriter
  /// The number of users whose plan records share a seal.
  private static let plansPerBatch = 500

  /// Creates the appending of plans through `writer`.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Appends plans of users, with all records of one user under one seal. The next evaluation handles what follows on
  /// open days.
  ///
  /// `act` records who appends a batch of plans, before them under the same seal. If `telling` names the plan, each
  /// user whose points, exp or coins change gets a message under the same seal. Throws ``Outdated`` before writing
  /// anything if closed days of any of the users have changed.
  package func append(
    _ plans: [UserPlan], by act: (@Sendable ([UserPlan]) -> OperatorRecord)? = nil,
    telling plan: String? = nil
  ) async throws -> AppendCounts {
    let changed = plans.filter { !$0.records.isEmpty }
    return try await writer.alone { state, log in
      let outdated = changed.filter { !$0.fits(state.ledger.account(of: $0.user)) }
      if !outdated.isEmpty { throw Outdated(users: outdated.map(\.user)) }
      var counts = AppendCounts()
      var rest = changed[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Self.plansPerBatch)
        rest = rest.dropFirst(batch.count)
        let acts = act.map { [Draft([.operator($0(Array(batch)))])] } ?? []
        let records = try log.commit(
          acts + batch.map { Draft($0.records.map(\.ofActBefore) + $0.message(of: plan)) }, &state)
        counts += AppendCounts(records.dropFirst(acts.count))
      }
      return counts
    }
  }
}

extension UserPlan {
  /// Returns the message to the user; none if nothing changes in total or no message is wanted.
  fileprivate func message(of plan: String?) -> [RecordBody] {
    guard let plan else { return [] }
    let totals = RecordTotals(records)
    let summary = MessageRecord(
      user: user, plan: plan, amounts: totals.amounts, items: totals.gainedItems.sorted(),
      removedItems: totals.lostItems.sorted(), boosterUntil: totals.boosterUntil)
    let isNothing =
      summary.amounts.isZero && summary.items.isEmpty && summary.removedItems.isEmpty
      && summary.boosterUntil == nil
    return isNothing ? [] : [.message(summary)]
  }

  /// Returns whether the account's closed days are still those the plan was made for.
  fileprivate func fits(_ present: Account?) -> Bool {
    guard let present, present.boundary == account.boundary,
      present.amended == account.amended, present.state == account.state,
      // Meanwhile a level may be reached on a running day, and a held-back grant may be released.
      present.grants.closedLevels == account.grants.closedLevels,
      present.openLevels == account.openLevels,
      present.heldBack == account.heldBack, present.released == account.released
    else { return false }
    return records.allSatisfy { body in
      guard case .reversal(let reversal) = body else { return true }
      // A reversal on an open day must reverse exactly what stands there.
      return present.grants.open.first { $0.text == reversal.key }
        == account.grants.open.first { $0.text == reversal.key }
    }
  }
}

extension Account {
  /// The level rewards reached on running days.
  fileprivate var openLevels: [StandingGrant] { grants.open.filter { $0.level != nil } }
}
