package import Ledger
package import RewardRules

/// Counts of what a piece of work has appended, which avoid keeping the records of many users.
package struct AppendCounts: Sendable, Equatable {
  /// The number of records, without seals.
  package private(set) var appended = 0
  /// The number of grants and adjustments among them.
  package private(set) var grants = 0
  /// The amounts that these grants and the reversals give, in every unit.
  package private(set) var amounts = Amounts()
  /// The number of credits among them.
  package private(set) var credits = 0
  /// The number of refusals among them.
  package private(set) var refused = 0

  /// Creates counts of zero.
  package init() {}

  /// Counts these records.
  package init(_ records: some Sequence<Record>) {
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
    case .credit: credits += 1
    case .refused: refused += 1
    default: break
    }
  }

  /// Adds the counts of another piece of work.
  package static func += (left: inout AppendCounts, right: AppendCounts) {
    left.appended += right.appended
    left.grants += right.grants
    left.amounts += right.amounts
    left.credits += right.credits
    left.refused += right.refused
  }
}
