public import RewardRules

/// How much one person may give or take manually. Beyond that, a second person must approve.
public struct ManualLimits: Sendable, Equatable {
  /// The most of each unit that one act may give or take.
  public var perAct: Amounts
  /// The most exp in one credit line.
  public var expPerCredit: Int64

  /// Creates limits.
  public init(perAct: Amounts, expPerCredit: Int64) {
    self.perAct = perAct
    self.expPerCredit = expPerCredit
  }

  /// Returns the part of `amounts`, given or taken, beyond the limits, in words; nil if one person is enough.
  public func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > perAct[$0].magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map { "\(amounts[$0]) \($0.rawValue) (one person may \(perAct[$0]))" }
      .joined(separator: ", ")
  }
}
