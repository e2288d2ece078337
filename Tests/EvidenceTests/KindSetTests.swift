import Evidence
import TestSupport
import Testing

@Suite(.offThePool) struct KindSetTests {
  /// Fails when a kind is added that the set is too narrow for: widen it, its place in snapshots and ``DayFacts`` then.
  @Test(arguments: ActivityKind.allCases)
  func everyKindHasItsBit(kind: ActivityKind) {
    var set = KindSet()
    set.insert(kind)
    #expect(set.kinds == [kind])
    #expect(KindSet.all.contains(kind))
    set.remove(kind)
    #expect(set.isEmpty)
  }

  @Test func aSetOfAllKindsHasEach() {
    #expect(KindSet(ActivityKind.allCases).kinds == ActivityKind.allCases)
  }
}
