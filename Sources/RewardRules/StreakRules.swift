internal import CivilTime
public import Evidence

/// What counts for the login streak, and what its days give.
public struct StreakRules: Sendable, Equatable {
  /// The kinds of which one makes a day count.
  public let countsAs: KindSet
  /// The rewards of the cycle days, in order: 1 to ``longestCycle`` of them.
  public let rewards: [RewardTerms]

  /// As many cycle days as a document may have.
  public static let longestCycle = 31

  /// How many cycle days there are.
  public var cycleLength: Int32 { Int32(rewards.count) }

  /// Returns the cycle day of the last of `length` counted days in a row under these rules alone; 0 for none.
  public func cycleDay(ofStreak length: Int32) -> Int32 {
    length > 0 ? (length - 1) % cycleLength + 1 : 0
  }

  /// What `facts` do to the streak, whatever came before.
  ///
  /// A day that is still open is pending until something counts or all listed kinds are known. Where no listed kind has
  /// a configured source nothing is ever proven, so the day is held, not missed.
  func classify(_ facts: DayFacts) -> DayOutcome.StreakClass {
    if !facts.met.isDisjoint(with: countsAs) { return .counted }
    let listed = countsAs.intersection(facts.watched)
    let isProven = !listed.isEmpty && facts.uncovered.isDisjoint(with: listed)
    guard isProven || facts.isClosing else { return .pending }
    if facts.isExcused { return .excused }
    return isProven && !facts.window.isShortened ? .missed : .held
  }

  /// Returns the earliest evidence that makes the day count; of several at one instant, that of the first name.
  func firstTouch(in facts: DayFacts) -> EarliestEvidence? {
    facts.earliest(of: facts.met.intersection(countsAs))?.touch
  }
}
