import Digests
import Foundations
import Ledger
import LedgerStore
import TestSupport
import Testing

/// What the disk may do between two starts: cut, tear, zero, flip, exchange.
@Suite(.offThePool) struct DamageTests {
  /// A ledger of two segments; the last batches are small.
  private static func ledger() async throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = 3_000
    let store = try bench.open()
    for number in 0..<6 { _ = try store.append([Bench.grant(number)]) }
    _ = try store.append([Bench.grant(6), Bench.grant(7)])
    store.close()
    return bench
  }

  private func refusal(_ bench: Bench, knownHeads: [LedgerHead] = []) -> LedgerError? {
    do {
      try bench.open(knownHeads: knownHeads).close()
      return nil
    } catch {
      return error
    }
  }

  @Test func everyCutOfTheLastSegmentGivesTheLongestSealedPrefix() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    let whole = try contents(path)
    let ends = sealEnds(in: whole)
    #expect(ends.count >= 2 && ends.last == whole.count)
    for count in 0...whole.count {
      try put(Array(whole[..<count]), at: path)
      let expected = ends.last { $0 <= count } ?? 0
      let store = try bench.open()
      #expect(try contents(path) == Array(whole[..<expected]))
      #expect((store.report.cut == nil) == (count == expected))
      if let cut = store.report.cut {
        #expect(cut.byte == expected && cut.count == count - expected)
        #expect(try contents(cut.keptIn) == Array(whole[expected..<count]))
      }
      store.close()
      #expect(try bench.verify().damage.isEmpty)
    }
  }

  @Test func everyFlippedBitRefusesOrIsInTheUnsealedTail() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    let whole = try contents(path)
    for round in 0..<600 {
      // A prime stride visits bytes all over the segment, each with another bit.
      let index = round * 7_919 % whole.count
      var broken = whole
      broken[index] ^= 1 << UInt8(round % 8)
      try put(broken, at: path)
      let report = try bench.verify()
      #expect(!report.damage.isEmpty, "byte \(index)")
      let error = refusal(bench)
      if error == nil {
        // The last seal's own line can lose its form; then its batch counts as never sealed.
        #expect(try contents(path).count < whole.count, "byte \(index)")
        #expect(report.damage.contains { $0.kind == .unsealedTail }, "byte \(index)")
      } else {
        #expect(try contents(path) == broken, "byte \(index): a refused ledger was changed")
        guard case .damaged(let damage) = error?.kind else {
          Issue.record("byte \(index): \(String(describing: error))")
          continue
        }
        #expect(
          damage.allSatisfy { $0.segment == path.split(separator: "/").last.map(String.init) })
      }
    }
  }

  @Test func aZeroedTailIsCutUnlessAnOutsideHeadNamesIt() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    let whole = try contents(path)
    let head = try bench.verify().head
    // The last batch: two grants and their seal, the first grant's bytes never written.
    let lines = whole.split(separator: 0x0A)
    let batch = lines.suffix(3).reduce(0) { $0 + $1.count + 1 }
    var zeroed = whole
    for index in whole.count - batch..<whole.count - batch + 100 { zeroed[index] = 0 }
    try put(zeroed, at: path)
    let error = refusal(bench, knownHeads: [head])
    #expect(error != nil)
    #expect(try contents(path) == zeroed)
    let store = try bench.open()
    #expect(store.report.cut?.count == batch && store.head.seq == head.seq - 3)
    store.close()
    // The same in an earlier batch is damage.
    try put(whole, at: path)
    var earlier = whole
    for index in 10..<30 { earlier[index] = 0 }
    try put(earlier, at: path)
    #expect(refusal(bench) != nil)
    // Zeros after the last seal are a tail.
    try put(whole + [UInt8](repeating: 0, count: 200_000), at: path)
    let extended = try bench.open()
    #expect(extended.report.cut?.count == 200_000 && extended.head == head)
  }

  @Test func wholeRecordsCutFromTheEndAreSeenThroughAnOutsideHead() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    let whole = try contents(path)
    let head = try bench.verify().head
    let lines = whole.split(separator: 0x0A)
    let batch = lines.suffix(3).reduce(0) { $0 + $1.count + 1 }
    try put(Array(whole.dropLast(batch)), at: path)
    #expect(try bench.verify().damage.isEmpty)
    #expect(try bench.verify(heads: [head]).damage.map(\.kind) == [.headMissing])
    #expect(refusal(bench, knownHeads: [head])?.kind == .headMissing)
    #expect(refusal(bench) == nil)
  }

  @Test func aMissingOrRenamedSegmentIsNamed() async throws {
    let bench = try await Self.ledger()
    let first = try bench.segmentPath(0)
    let bytes = try contents(first)
    try put([], at: first)
    #expect(try bench.verify().damage.contains { $0.kind == .segmentName && $0.line == 0 })
    #expect(refusal(bench) != nil)
    try put(bytes, at: first)
    try put(bytes, at: bench.directory.ledger + "/3.jsonl")
    #expect(try bench.verify().damage.map(\.segment) == ["3.jsonl"])
    #expect(refusal(bench) != nil)
  }

  @Test func aNewerFormatIsRefusedClearly() throws {
    let bench = try Bench()
    try bench.directory.create()
    let text = """
      {"seq":1,"at":"2026-11-20T14:59:59.250Z","type":"genesis","format":2,"ledger":"x","program":"p"}

      """
    let path = bench.directory.ledger + "/00000000000000000001.jsonl"
    try put(Array(text.utf8), at: path)
    let error = refusal(bench)
    #expect(error?.kind == .newerFormat && error?.cause.contains("format 2") == true)
    #expect(try contents(path) == Array(text.utf8))
  }

  @Test func aForeignFileIsNeverTakenForATornFirstBatch() throws {
    let bench = try Bench()
    try bench.directory.create()
    let path = bench.directory.ledger + "/00000000000000000001.jsonl"
    let foreign = Array(String(repeating: "{\"a\":1}\n", count: 1_000).utf8)
    try put(foreign, at: path)
    #expect(refusal(bench) != nil)
    #expect(try contents(path) == foreign)
    // What a crash during the first batch leaves is.
    try put(Array("{\"seq\":1,\"at\":".utf8), at: path)
    let store = try bench.open()
    #expect(store.report.isNew && store.report.cut != nil && store.head.seq == 2)
  }

  @Test func damageIsTheSameHoweverTheWorkIsDivided() async throws {
    let bench = try await Self.ledger()
    for (index, at) in [(0, 1_700), (1, 300), (1, 900)] {
      let path = try bench.segmentPath(index)
      var bytes = try contents(path)
      bytes[at] ^= 2
      try put(bytes, at: path)
    }
    let whole = try bench.verify()
    #expect(whole.damage.count >= 3)
    for stretchBytes in [1, 50, 333, 1_000, 2_999] {
      let divided = try bench.verify(stretchBytes: stretchBytes)
      #expect(divided.damage == whole.damage && divided.head == whole.head)
      #expect(divided.records == whole.records)
    }
  }

  @Test func aSecondGrantUnderOneKeyIsFoundAcrossSegments() async throws {
    var bench = try Bench()
    bench.segmentLimitBytes = 1_500
    let store = try bench.open()
    for number in 0..<8 { _ = try store.append([Bench.grant(number)]) }
    _ = try store.append([Bench.grant(2)])
    for stretchBytes in [100, 1 << 20] {
      let damage = try bench.verify(stretchBytes: stretchBytes).damage
      #expect(damage.map(\.kind) == [.duplicateKey])
      #expect(damage.first?.what.contains("seq 7") == true)
      #expect(damage.first?.segment == (try bench.segments().last))
    }
  }
}
