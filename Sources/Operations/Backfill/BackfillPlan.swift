public import CivilTime
public import Engine
public import Failures
public import Ledger
public import RewardRules

/// The exact records that bring closed days to what they should be, to be looked at before they are appended.
public struct BackfillPlan: Sendable {
  /// One user's part.
  public struct User: Sendable, Equatable {
    /// The user's id.
    public let user: String
    /// The records, in order; all of them share a seal.
    public let records: [RecordBody]
    /// What an operator should know.
    public let issues: [UserPlan.Issue]
    /// How long the streak is behind the last closed day; nil where a plan was read from its file.
    public var streakBefore: Int32?
    /// How long it is once the plan counts.
    public var streakAfter: Int32?

    /// The reversals and releases, which stand before what hangs on them; without what the plan as a whole leaves of the user,
    /// which the last of them carries where nothing else can.
    var acts: [RecordBody] {
      records.prefix(while: \.isAct).map { act in
        var act = act
        act.settled = nil
        return act
      }
    }

    /// What the records give and take.
    public var totals: RecordTotals { RecordTotals(records) }
  }

  /// The plan's name, which follows from the order and the head.
  public let id: String
  /// The ledger's id.
  public let ledger: String
  /// The head on which it was made.
  public let head: LedgerHead
  /// When it was made.
  public let madeAt: Instant
  /// What was asked for.
  public let order: BackfillOrder
  /// Every user for whom there is something to do or to say, in the order of their ids.
  public let users: [User]
  /// What would go of days that are not closed: they follow when the plan is applied. Nothing where a plan was read from its file.
  public private(set) var openDays = OpenDaySums()

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

  /// What all records give and take.
  public var totals: RecordTotals { RecordTotals(users.lazy.flatMap(\.records)) }

  /// What the plan gives or takes in all, for the limits of hands.
  public var amounts: Amounts { totals.amounts }

  /// What the reversals in it give or take, whatever follows from them.
  public var amountsByHand: Amounts { RecordTotals(users.lazy.flatMap(\.acts)).amounts }

  /// Why its reversals are made; nil when it holds none.
  public var reason: String? {
    for case .reversal(let reversal) in users.lazy.flatMap(\.records) { return reversal.reason }
    return nil
  }

  /// The points that are given, whatever is taken elsewhere.
  public var pointsGiven: Int64 {
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
  /// Whether a person's act stands in it, from which the rest of a plan follows.
  fileprivate var isAct: Bool {
    switch self {
    case .reversal, .operator: true
    // What undoing takes from a waiver; a plan's own waiver stands last and adjusts nothing.
    case .grant(let grant): grant.mission == "waived" && grant.isAdjustment
    default: false
    }
  }
}

extension BackfillPlan {
  /// Throws when a plan of acts at `place` holds nothing because closed days wait for a backfill.
  public func requireNothingWaits(place: String) throws(Failure) {
    guard let user = users.first, user.records.isEmpty, let issue = user.issues.first else {
      return
    }
    throw Failure(
      .tryAgain, issue.text, place: place,
      remedy: "rewards backfill --user \(user.user) --from DAY --to DAY --plan FILE shows them.")
  }
}
