internal import CivilTime
public import Evidence

/// What counts for the login streak, and the rewards of its days.
public struct StreakRules: Sendable, Equatable {
  /// The kinds that make a day count; one is enough.
  public let countsAs: KindSet
  /// The rewards of the cycle days, in order: 1 to ``longestCycle`` of them.
  public let rewards: [RewardTerms]

  /// The most cycle days a document may have.
  public static let longestCycle = 31

  /// The number of cycle days.
  public var cycleLength: Int32 { Int32(rewards.count) }

  /// Returns the cycle day after `length` counted days in a row under these rules alone; 0 for none.
  public func cycleDay(ofStreak length: Int32) -> Int32 {
    length > 0 ? (length - 1) % cycleLength + 1 : 0
  }

  /// Returns the effect of `facts` on the streak, whatever came before.
  ///
  /// An open day is pending until something counts or every listed kind is known. If no listed kind has a configured
  /// source, nothing can be proven, so the day is held and not missed.
  func classify(_ facts: DayFacts) -> DayOutcome.StreakClass {
    if !facts.met.isDisjoint(with: countsAs) { return .counted }
    let listed = countsAs.intersection(facts.watched)
    let isProven = !listed.isEmpty && facts.uncovered.isDisjoint(with: listed)
    guard isProven || facts.isClosing else { return .pending }
    if facts.isExcused { return .excused }
    return isProven && !facts.window.isShortened ? .missed : .held
  }

  /// Returns the earliest evidence that makes the day count; ties go to the first kind by name.
  func firstTouch(in facts: DayFacts) -> EarliestEvidence? {
    facts.earliest(of: facts.met.intersection(countsAs))?.touch
  }
}
