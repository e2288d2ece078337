/// The table of levels: how much exp fills each, and what reaching one gives.
public struct LevelRules: Sendable, Equatable {
  /// The exp that fills levels 1 to 29, in order: exactly 29 positive numbers.
  public let caps: [Int64]
  /// What reaching a level gives; indexed by level, nil where it gives nothing. 31 elements.
  public let rewards: [RewardTerms?]

  /// The level at which exp accumulates.
  public static let highest: Int32 = 30

  /// What reaching `level` gives, nil for nothing.
  public func reward(of level: Int32) -> RewardTerms? {
    rewards.indices.contains(Int(level)) ? rewards[Int(level)] : nil
  }
}
