package import RewardRules

/// How much one person may give or take manually. Beyond that, a second person must approve.
package struct ManualLimits: Sendable, Equatable {
  /// The most of each unit that one act may give or take.
  package var perAct: Amounts
  /// The most of each unit that one credit line may give. What it takes has no limit.
  package var perCredit: Amounts
  /// The most booster days that one credit line may give.
  package var boosterDaysPerCredit: Int64

  /// Creates limits. A credit line may give as many points and coins as any act.
  package init(perAct: Amounts, expPerCredit: Int64, boosterDaysPerCredit: Int64 = 30) {
    self.perAct = perAct
    perCredit = perAct
    perCredit.exp = expPerCredit
    self.boosterDaysPerCredit = boosterDaysPerCredit
  }

  /// Returns the part of `amounts`, given or taken, beyond the limits, in words; nil if one person is enough.
  package func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > perAct[$0].magnitude }
    return Self.text(
      beyond.map { ("\(amounts[$0]) \($0.rawValue)", "\($0.rawValue)ByHand", perAct[$0]) })
  }

  /// Returns the part of what a credit line gives beyond the limits, in words; nil if one person is enough.
  package func excess(of credit: Credit) -> String? {
    let amounts = credit.amounts
    var beyond = RewardUnit.allCases.filter { amounts[$0] > perCredit[$0] }.map { unit in
      let setting = unit == .exp ? "expPerCredit" : "\(unit.rawValue)ByHand"
      return ("\(amounts[unit]) \(unit.rawValue)", setting, perCredit[unit])
    }
    if credit.boosterDays > boosterDaysPerCredit {
      beyond.append(
        ("\(credit.boosterDays) booster days", "boosterDaysPerCredit", boosterDaysPerCredit))
    }
    return Self.text(beyond)
  }

  private static func text(_ beyond: [(what: String, setting: String, limit: Int64)]) -> String? {
    if beyond.isEmpty { return nil }
    return beyond.map {
      "\($0.what) (the limit for one person, approval.\($0.setting), is \($0.limit))"
    }
    .joined(separator: ", ")
  }
}
