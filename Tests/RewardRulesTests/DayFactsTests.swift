import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite(.offThePool) struct DayFactsTests {
  /// Fails when there are more kinds than places for their evidence.
  @Test func everyKindKeepsItsOwnEvidence() {
    var facts = DayFacts(window: Fixture.window())
    let start = facts.window.start
    for kind in ActivityKind.allCases {
      facts[kind] = EarliestEvidence(
        effective: start.adding(seconds: Int64(kind.rawValue)), seq: UInt64(kind.rawValue))
    }
    for kind in ActivityKind.allCases {
      #expect(facts.verdict(kind) == .met)
      #expect(facts[kind]?.seq == UInt64(kind.rawValue))
    }
  }
}
