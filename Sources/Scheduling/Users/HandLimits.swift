public import RewardRules

/// How much one person may give or take by hand; beyond it a second one must want the same.
public struct HandLimits: Sendable, Equatable {
  /// How much of each unit one act may give or take.
  public var perAct: Amounts
  /// Exp of one credit line.
  public var expPerCredit: Int64

  /// Limits.
  public init(perAct: Amounts, expPerCredit: Int64) {
    self.perAct = perAct
    self.expPerCredit = expPerCredit
  }

  /// What of `amounts`, given or taken, is beyond the limits, in words; nil when one person is enough.
  public func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > perAct[$0].magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map { "\(amounts[$0]) \($0.rawValue) (one person may \(perAct[$0]))" }
      .joined(separator: ", ")
  }
}
