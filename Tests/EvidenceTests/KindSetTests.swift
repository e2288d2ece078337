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

  @Test(arguments: ActivityKind.allCases)
  func aKindIsFoundByTheBytesOfItsName(kind: ActivityKind) {
    func found(_ name: [UInt8]) -> ActivityKind? {
      name.withUnsafeBufferPointer { ActivityKind(utf8: $0) }
    }
    let name = Array(kind.name.utf8)
    #expect(found(name) == kind)
    for other in [[0] + name, name + [0], name.dropLast(), name + name, []] as [[UInt8]] {
      #expect(found(other) == nil)
    }
  }

  @Test func aSetOfAllKindsHasEach() {
    #expect(KindSet(ActivityKind.allCases).kinds == ActivityKind.allCases)
  }
}
