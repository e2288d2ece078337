public import Ledger
import RewardRules

/// What a piece of work has appended, counted: the records of many users are not kept.
public struct AppendCounts: Sendable, Equatable {
  /// Records, without seals.
  public private(set) var appended = 0
  /// Grants and adjustments among them.
  public private(set) var grants = 0
  /// Points of these, and of reversals.
  public private(set) var points: Int64 = 0
  /// Exp of these, and of reversals.
  public private(set) var exp: Int64 = 0
  /// Refusals among them.
  public private(set) var refused = 0

  /// Nothing was appended.
  public init() {}

  /// What these records bring.
  public init(_ records: some Sequence<Record>) {
    for record in records { add(record.body) }
  }

  /// What records with these bodies bring.
  init(bodies: some Sequence<RecordBody>) {
    for body in bodies { add(body) }
  }

  private mutating func add(_ body: RecordBody) {
    appended += 1
    switch body {
    case .grant(let grant):
      grants += 1
      points += grant.reward.points
      exp += grant.reward.exp
    case .reversal(let reversal):
      points += reversal.reward.points
      exp += reversal.reward.exp
    case .refused: refused += 1
    default: break
    }
  }

  /// Adds what another piece of work has appended.
  public static func += (left: inout AppendCounts, right: AppendCounts) {
    left.appended += right.appended
    left.grants += right.grants
    left.points += right.points
    left.exp += right.exp
    left.refused += right.refused
  }
}
