public import Engine
public import Ledger
import RewardRules

/// Appends what was worked out for closed days.
public struct PlanAppending: Sendable {
  /// Why a plan was not appended: since it was worked out, closed days of these users have changed.
  public struct Outdated: Error, Sendable, Equatable {
    /// The users' ids.
    public let users: [String]
  }

  private let writer: LedgerWriter
  /// Users whose records of a plan share a seal.
  private static let plansPerBatch = 500

  /// Appends by this writer.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Appends what was worked out for users, all records of one user under one seal; what hangs on it on open days is the
  /// next evaluation's.
  ///
  /// `act` says who appends some of them, and stands before these under the same seal. With `telling` the name of their plan,
  /// each user whose points, exp or coins change is told so by a message under the same seal. Throws ``Outdated`` before
  /// anything is written when the closed days of one of them are not any more what they were.
  public func append(
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
          acts + batch.map { Draft($0.records + $0.message(of: plan)) }, &state)
        counts += AppendCounts(records.dropFirst(acts.count))
      }
      return counts
    }
  }
}

extension UserPlan {
  /// What the user is told of it: nothing where it comes to nothing, or nobody asked for it.
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

  /// Returns whether the account's closed days are still those on which this was worked out.
  fileprivate func fits(_ present: Account?) -> Bool {
    guard let present, present.boundary == account.boundary,
      present.amended == account.amended, present.state == account.state,
      // A level may be reached on a running day meanwhile, and what waits may be released.
      present.grants.closedLevels == account.grants.closedLevels,
      present.openLevels == account.openLevels,
      present.heldBack == account.heldBack, present.released == account.released
    else { return false }
    return records.allSatisfy { body in
      guard case .reversal(let reversal) = body else { return true }
      // What is taken back of an open day must be what stands there.
      return present.grants.open.first { $0.text == reversal.key }
        == account.grants.open.first { $0.text == reversal.key }
    }
  }
}

extension Account {
  /// The rewards of levels that running days have reached.
  fileprivate var openLevels: [StandingGrant] { grants.open.filter { $0.level != nil } }
}
