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

  /// Returns the most that the levels reached by `exp` can bring, whatever the level before; `amounts` says what a reward brings.
  func most(reachedBy exp: Int64, _ amounts: (RewardTerms) -> Amounts) -> Amounts {
    var most = Amounts()
    if exp <= 0 { return most }
    for first in caps.indices {
      // Nearly everything up to the first level may be there already.
      var (left, sum) = (exp, Amounts())
      for place in first..<caps.count {
        if place > first { left -= caps[place] }
        if left < 0 { break }
        // The cap at place 0 is that of level 1.
        if let reward = reward(of: Int32(place + 2)) { sum += amounts(reward) }
      }
      most = Amounts { max(most[$0], sum[$0]) }
    }
    return most
  }
}
