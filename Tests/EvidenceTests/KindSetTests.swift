import Evidence
import TestSupport
import Testing

@Suite(.offThePool) struct KindSetTests {
  /// Fails when a kind is added that the set or ``EachKind`` is too narrow for.
  @Test(arguments: ActivityKind.allCases)
  func everyKindHasItsBit(kind: ActivityKind) {
    var set = KindSet()
    set.insert(kind)
    #expect(set.kinds == [kind])
    #expect(KindSet.all.contains(kind))
    set.remove(kind)
    #expect(set.isEmpty)
    #expect(kind.rawValue < EachKind<Bool>.count)
  }

  /// The order in output and among what happened at the same instant; numbers have none.
  @Test func kindsStandInTheOrderOfTheirNames() {
    let names = ActivityKind.allCases.map(\.name)
    #expect(names == names.sorted() && ActivityKind.allCases == ActivityKind.allCases.sorted())
  }

  /// Snapshots and polls on disk hold them.
  @Test func numbersStayAsTheyAre() {
    let kinds = (0..<8).map { ActivityKind(rawValue: $0)?.name ?? "" }
    #expect(
      kinds == ["comment", "follow", "gift", "login", "purchase", "share", "stream", "watch"])
    #expect(
      (0..<5).map { Source(rawValue: $0)?.name ?? "" } == ["603", "604", "605", "inbox", "196"])
    #expect(Source.routes == [.lastStream, .watchedStreams, .lastGift])
    #expect(Source.polled == [.lastStream, .watchedStreams, .lastGift, .follows])
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
