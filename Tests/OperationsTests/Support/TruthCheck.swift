import CivilTime
import Evidence
import Ledger
import Sandbox

/// Compares a ledger with what simulated users really did on the days that were closed.
struct TruthCheck {
  /// Grants for what nobody did, or of a streak day that the life does not give.
  private(set) var wrong: [String] = []
  /// Missing grants without a recorded gap.
  private(set) var unexplained: [String] = []
  /// Missing grants that a recorded gap explains.
  private(set) var explained = 0
  private(set) var right = 0

  init(_ life: LifeModel, _ facts: LedgerFacts) {
    for user in life.users {
      for window in facts.closes[user.zone] ?? [] {
        var isSpent = false
        for kind in ActivityKind.allCases {
          let isTrue =
            life.firstTouch(of: user, kind, from: window.start, to: window.end) != nil
          isSpent = isSpent || isTrue
          if kind != .login { check("\(user.id)/\(window.day)/\(kind.name)", isTrue, facts) }
        }
        let gaps = ActivityKind.allCases.contains {
          facts.unknown.contains("\(user.id)/\(window.day)/\($0.name)")
        }
        check("\(user.id)/\(window.day)/login", isSpent, facts, isUnknown: gaps)
      }
    }
  }

  private mutating func check(
    _ key: String, _ isTrue: Bool, _ facts: LedgerFacts, isUnknown: Bool? = nil
  ) {
    switch (isTrue, facts.keys[key] != nil) {
    case (true, true): right += 1
    case (false, true): wrong.append(key)
    case (true, false):
      if isUnknown ?? facts.unknown.contains(key) {
        explained += 1
      } else {
        unexplained.append(key)
      }
    case (false, false): break
    }
  }
}
