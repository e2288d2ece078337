import Foundations
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Readers beside or without a writer: where they begin, and what they do when segments are not what they should be.
@Suite(.offThePool) struct ReadingTests {
  private static func ledger(grants: Int, group: Int, segmentBytes: Int) async throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = segmentBytes
    let store = try bench.open()
    for start in stride(from: 0, to: grants, by: group) {
      _ = try store.append((start..<start + group).map { Bench.grant($0) })
    }
    store.close()
    return bench
  }

  @Test func readingAfterANumberGivesExactlyWhatFollows() async throws {
    // Large enough that the place is looked for by halving.
    let bench = try await Self.ledger(grants: 30_000, group: 50, segmentBytes: 6 << 20)
    let all = try bench.records()
    let reader = try LedgerReader.open(bench.directory)
    for seq in [0, 1, 51, 52, 9_999, 20_000, 25_555, 30_000, all.count - 1, all.count] {
      var rest: [UInt64] = []
      try reader.scan(after: UInt64(seq)) { rest.append($0.seq) }
      #expect(rest == all.dropFirst(seq).map(\.seq), "after \(seq)")
    }
  }

  @Test func aMissingOrForeignSegmentStopsEveryReader() async throws {
    let bench = try await Self.ledger(grants: 40, group: 1, segmentBytes: 3_000)
    let path = try bench.segmentPath(2)
    let bytes = try contents(path)
    #expect(unlink(path) == 0)
    let reader = try LedgerReader.open(bench.directory)
    #expect(throws: LedgerError.self) { try reader.scan { _ in } }
    #expect(throws: LedgerError.self) { try reader.scanLines(after: 0) { _, _ in .next } }
    #expect(throws: LedgerError.self) { try LedgerSlices(reader).count() }
    #expect(throws: LedgerError.self) {
      try LedgerSlices(reader).scan(LineSelection(), as: .lines) { _ in .next }
    }
    try put(bytes, at: path)
    #expect(try LedgerSlices(reader).count().total == bench.records().count)
    try put(bytes, at: "\(bench.directory.ledger)/00000000000000000003.jsonl")
    #expect(throws: LedgerError.self) { try LedgerSlices(reader).count() }
  }

  @Test func aSnapshotHoldsWhenSegmentsAreDividedAnew() async throws {
    let bench = try await Self.ledger(grants: 40, group: 1, segmentBytes: 3_000)
    let store = try bench.open()
    let head = store.head
    try store.writeSnapshot(payload: [1, 2, 3], at: head)
    store.close()
    var whole: [UInt8] = []
    try LedgerReader.open(bench.directory).scanLines(after: 0) { _, line in
      whole += line
      return .next
    }
    for index in try bench.segments().indices.reversed() {
      #expect(unlink(try bench.segmentPath(index)) == 0)
    }
    try put(whole, at: "\(bench.directory.ledger)/00000000000000000001.jsonl")
    let again = try bench.open()
    #expect(again.head == head && again.report.snapshot == head)
    #expect(try again.reader.newestSnapshot()?.payload == [1, 2, 3])
    var count = 0
    try again.reader.scan(after: head.seq) { _ in count += 1 }
    #expect(count == 0)
    again.close()
  }

  @Test func aPipeInTheFolderHoldsNobodyUp() async throws {
    let bench = try await Self.ledger(grants: 2, group: 1, segmentBytes: 3_000)
    #expect(mkfifo("\(bench.directory.ledger)/00000000000000000099.jsonl", 0o600) == 0)
    #expect(throws: LedgerError.self) { try bench.verify() }
  }
}
