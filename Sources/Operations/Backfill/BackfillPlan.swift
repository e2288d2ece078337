package import CivilTime
package import Engine
package import Failures
package import Ledger
package import RewardRules

/// The exact records that correct closed days, for inspection before they are appended.
package struct BackfillPlan: Sendable {
  /// The part of one user.
  package struct User: Sendable, Equatable {
    /// The user's id.
    package let user: String
    /// The records, in order, all under one seal.
    package let records: [RecordBody]
    /// Remarks for the operator.
    package let issues: [UserPlan.Issue]
    /// The length of the streak after the last closed day; nil when the plan was read from its file.
    package var streakBefore: Int32?
    /// The length of that streak once the plan is applied.
    package var streakAfter: Int32?

    /// The reversals and releases, which precede the records that depend on them.
    ///
    /// They come without `settled`, the user's state after the whole plan, which the last act carries when no other record can.
    var acts: [RecordBody] {
      records.prefix(while: \.isAct).map { act in
        var act = act
        act.settled = nil
        return act
      }
    }

    /// The totals that the records give and take.
    package var totals: RecordTotals { RecordTotals(records) }
  }

  /// The plan's name, derived from the order and the head.
  package let id: String
  /// The ledger's id.
  package let ledger: String
  /// The head of the ledger when the plan was made.
  package let head: LedgerHead
  /// When it was made.
  package let madeAt: Instant
  /// The parameters of the plan.
  package let order: BackfillOrder
  /// Every user with records or issues, ordered by id.
  package let users: [User]
  /// The losses on open days, which follow when the plan is applied. Empty when the plan was read from its file.
  package private(set) var openDays = OpenDaySums()

  init(
    id: String, ledger: String, head: LedgerHead, madeAt: Instant, order: BackfillOrder,
    users: [User]
  ) {
    self.id = id
    self.ledger = ledger
    self.head = head
    self.madeAt = madeAt
    self.order = order
    self.users = users
  }

  init(
    id: String, ledger: String, head: LedgerHead, madeAt: Instant, order: BackfillOrder,
    plans: [UserPlan]
  ) {
    self.init(
      id: id, ledger: ledger, head: head, madeAt: madeAt, order: order,
      users: plans.map {
        User(
          user: $0.user, records: $0.records, issues: $0.issues,
          streakBefore: $0.streakLengths?.before, streakAfter: $0.streakLengths?.after)
      }
      .sorted { $0.user < $1.user })
    for loss in plans.compactMap(\.openDayLoss) { openDays.add(loss) }
  }

  /// The totals that all records give and take.
  package var totals: RecordTotals { RecordTotals(users.lazy.flatMap(\.records)) }

  /// The total amounts that the plan gives or takes, for the limits of manual acts.
  package var amounts: Amounts { totals.amounts }

  /// The amounts that its reversals give or take, without their consequences.
  var amountsByHand: Amounts { users.map(\.records).amountsByHand }

  /// The reason for its reversals; nil when it has none.
  package var reason: String? {
    for case .reversal(let reversal) in users.lazy.flatMap(\.records) { return reversal.reason }
    return nil
  }

  /// The points that it gives, without offsetting those that it takes.
  package var pointsGiven: Int64 {
    users.flatMap(\.records).reduce(0) { sum, body in
      switch body {
      case .grant(let grant): sum + max(0, grant.reward.points)
      case .reversal(let reversal): sum + max(0, reversal.reward.points)
      default: sum
      }
    }
  }
}

extension RecordBody {
  /// Whether the record is a manual act, on which the rest of a plan depends.
  var isAct: Bool {
    switch self {
    case .reversal, .operator: true
    // What undoing removes from a waiver; a plan's own waiver comes last and adjusts nothing.
    case .grant(let grant): grant.isFor(.waived) && grant.isAdjustment
    default: false
    }
  }
}

extension BackfillPlan {
  /// Throws when a plan of acts at `place` is empty because closed days wait for a backfill.
  package func requireNothingWaits(place: String) throws(Failure) {
    guard let user = users.first, user.records.isEmpty, let issue = user.issues.first else {
      return
    }
    throw Failure(
      .tryAgain, issue.text, place: place,
      remedy: "rewards backfill --user \(user.user) --from DAY --to DAY --plan FILE shows them.")
  }
}
