public import CivilTime

/// What the ledger says of a user's keys that the rules must respect.
public struct Standing: Sendable {
  /// Net rewards that stand under keys of the days at hand and of levels.
  public var granted: [RewardKey: Reward] = [:]
  /// The days to whose limits the standing level rewards count, by level; a level that is missing here counts to the
  /// day that derives it, once it is derived.
  public var levelDays: [Int: Day] = [:]
  /// Keys that were held back by a limit and not released.
  public var heldBack: Set<RewardKey> = []
  /// Keys that an operator released: limits do not hold them back.
  public var released: Set<RewardKey> = []
  /// Keys that a reversal settled: nothing is granted under them.
  public var settled: Set<RewardKey> = []

  /// Nothing stands yet.
  public init() {}
}
