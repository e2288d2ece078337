public import CivilTime

/// The state of a user's keys in the ledger, as far as the rules must respect it.
public struct RecordedKeys: Sendable {
  /// The net rewards standing under the keys of the days at hand and of levels.
  public var granted: [RewardKey: Reward] = [:]
  /// The days to whose limits the standing level rewards count, by level. A level missing here counts to the day that
  /// derives it, once derived.
  public var levelDays: [Int: Day] = [:]
  /// Keys held back by a limit and not yet released.
  public var heldBack: Set<RewardKey> = []
  /// Keys released by an operator, which limits no longer hold back.
  public var released: Set<RewardKey> = []
  /// Keys under which a reversal stands, so that nothing is granted.
  public var reversed: Set<RewardKey> = []

  /// Creates an empty standing.
  public init() {}
}
