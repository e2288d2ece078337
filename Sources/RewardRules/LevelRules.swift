/// The table of levels: how much exp fills each, and what reaching one gives.
public struct LevelRules: Sendable, Equatable {
  /// The exp that fills level 1, 2, … and the last one before ``highest``: positive numbers, one at least.
  public let caps: [Int64]
  /// What reaching a level gives; indexed by level, nil where it gives nothing.
  public let rewards: [RewardTerms?]

  /// As many levels as a document may have.
  public static let limit: Int32 = 100

  /// The level at which exp accumulates.
  public var highest: Int32 { Int32(caps.count) + 1 }

  /// What reaching `level` gives, nil for nothing.
  public func reward(of level: Int32) -> RewardTerms? {
    rewards.indices.contains(Int(level)) ? rewards[Int(level)] : nil
  }
}
