package import RewardRules

/// How much one person may give or take in one act. Beyond that, a second person must approve.
package struct ManualLimits: Sendable, Equatable {
  /// The most of each unit.
  package var perAct: Amounts

  /// Creates limits.
  package init(perAct: Amounts) { self.perAct = perAct }

  /// Returns the part of `amounts`, given or taken, beyond the limits, in words; nil if one person is enough.
  package func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > perAct[$0].magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map {
      "\(amounts[$0]) \($0.rawValue) (the limit for one person, approval.\($0.rawValue)ByHand, is \(perAct[$0]))"
    }.joined(separator: ", ")
  }
}
