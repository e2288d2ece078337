public import Ledger
public import RewardRules

/// Counts of what a piece of work has appended, which avoid keeping the records of many users.
public struct AppendCounts: Sendable, Equatable {
  /// The number of records, without seals.
  public private(set) var appended = 0
  /// The number of grants and adjustments among them.
  public private(set) var grants = 0
  /// What these and reversals give, in every unit.
  public private(set) var amounts = Amounts()
  /// The number of refusals among them.
  public private(set) var refused = 0

  /// Creates counts of zero.
  public init() {}

  /// Counts these records.
  public init(_ records: some Sequence<Record>) {
    for record in records { add(record.body) }
  }

  /// Counts records with these bodies.
  init(bodies: some Sequence<RecordBody>) {
    for body in bodies { add(body) }
  }

  private mutating func add(_ body: RecordBody) {
    appended += 1
    switch body {
    case .grant(let grant):
      grants += 1
      amounts += grant.reward.amounts
    case .reversal(let reversal):
      amounts += reversal.reward.amounts
    case .refused: refused += 1
    default: break
    }
  }

  /// Adds the counts of another piece of work.
  public static func += (left: inout AppendCounts, right: AppendCounts) {
    left.appended += right.appended
    left.grants += right.grants
    left.amounts += right.amounts
    left.refused += right.refused
  }
}
