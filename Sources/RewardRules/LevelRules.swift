/// The table of levels: the exp that fills each, and the reward for reaching it.
public struct LevelRules: Sendable, Equatable {
  /// The exp that fills each level from 1 to the last before ``highest``: at least one entry, all positive.
  public let caps: [Int64]
  /// The reward for reaching each level, indexed by level; nil for none.
  public let rewards: [RewardTerms?]

  /// The most levels a document may have.
  public static let limit: Int32 = 100

  /// The level at which exp accumulates.
  public var highest: Int32 { Int32(caps.count) + 1 }

  /// Returns the reward for reaching `level`; nil for none.
  public func reward(of level: Int32) -> RewardTerms? {
    rewards.indices.contains(Int(level)) ? rewards[Int(level)] : nil
  }
}
