import CivilTime
import Digests
import Foundations
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Snapshots: a cache that says for which head it stands.
@Suite(.offThePool) struct SnapshotTests {
  private func ledger(_ count: Int) async throws -> (Bench, LedgerStore) {
    var bench = try Bench()
    bench.segmentLimitBytes = 2_500
    let store = try bench.open()
    for number in 0..<count { _ = try store.append([Bench.grant(number)]) }
    return (bench, store)
  }

  @Test func onlyLinesAfterTheSnapshotAreReadAtTheNextStart() async throws {
    let (bench, store) = try await ledger(10)
    let head = store.head
    try store.writeSnapshot(payload: Array("state".utf8), at: head)
    _ = try store.append([Bench.grant(10)])
    _ = try store.append([Bench.grant(11)])
    store.close()
    let again = try bench.open()
    #expect(again.report.snapshot == head && again.report.checkedRecords == 4)
    let snapshot = try #require(try again.reader.newestSnapshot())
    #expect(snapshot.head == head && snapshot.payload == Array("state".utf8))
    var keys: [Record] = []
    try again.reader.scan(after: head.seq) { keys.append($0) }
    #expect(keys.keys.count == 2)
  }

  @Test func theNewestTwoAreKeptAndABrokenOneIsPassedOver() async throws {
    let (bench, store) = try await ledger(2)
    var heads: [LedgerHead] = []
    for number in 2..<6 {
      _ = try store.append([Bench.grant(number)])
      heads.append(store.head)
      try store.writeSnapshot(payload: [UInt8(number)], at: store.head)
    }
    store.close()
    let files = try names(in: bench.directory.state).filter { $0.hasPrefix("snapshot-") }
    #expect(files.count == 2)
    let newest = bench.directory.state + "/" + files[1]
    var bytes = try contents(newest)
    bytes[bytes.count - 1] ^= 1
    try put(bytes, at: newest)
    let again = try bench.open()
    #expect(again.report.skippedSnapshots.count == 1)
    #expect(again.report.snapshot == heads[2])
    #expect(try again.reader.newestSnapshot()?.payload == [4])
  }

  /// Its answers are of its own head, however the ledger grows.
  @Test func aReaderPassesOverSnapshotsBeyondItsHead() async throws {
    let (bench, store) = try await ledger(2)
    try store.writeSnapshot(payload: [0], at: store.head)
    let head = store.head
    _ = try store.append([Bench.grant(2)])
    let reader = try LedgerReader.open(bench.directory)
    #expect(try reader.newestSnapshot()?.head == head)
    for number in 3..<5 {
      #expect(try reader.newestSnapshot()?.payload == [0])
      _ = try store.append([Bench.grant(number)])
      try store.writeSnapshot(payload: [UInt8(number)], at: store.head)
    }
    // Only the newest two are kept.
    #expect(try reader.newestSnapshot() == nil)
    #expect(try LedgerReader.open(bench.directory).newestSnapshot()?.payload == [4])
  }

  /// From where the past can be read without all that came before it.
  @Test func theFirstOfEachMonthIsKeptForAYear() async throws {
    let (bench, store) = try await ledger(2)
    var made: [(head: LedgerHead, at: Instant)] = []
    for month in 0..<20 {
      for day in [3, 17, 28] {
        _ = try store.append([Bench.grant(2 + made.count)])
        let first = try #require(Day(year: 2025 + month / 12, month: month % 12 + 1, day: day))
        let at = Instant(seconds: Int64(first.number) * 86_400)
        made.append((store.head, at))
        try store.writeSnapshot(
          payload: [UInt8(made.count)], at: store.head, recordedAt: made.count == 7 ? nil : at)
      }
    }
    let reader = try LedgerReader.open(bench.directory)
    func before(_ instant: Instant) throws -> UInt64? {
      try reader.newestSnapshot(before: instant)?.head.seq
    }
    let files = try names(in: bench.directory.state).filter { $0.hasPrefix("snapshot-") }
    // The newest two are of the last month, as is its first.
    #expect(files.count == 14)
    for month in 9..<20 {
      let first = made[3 * month]
      #expect(try before(first.at.adding(seconds: 1)) == first.head.seq, "month \(month)")
    }
    #expect(try before(made[24].at.adding(seconds: 1)) == made[24].head.seq)
    #expect(try before(made[24].at) == nil)
    // A start looks at the newest two only.
    #expect(try store.reader.newestSnapshot()?.head == made[59].head)
    for name in files.suffix(2) { try put([1], at: bench.directory.state + "/" + name) }
    store.close()
    let again = try bench.open()
    #expect(again.report.snapshot == nil && again.report.skippedSnapshots.count == 2)
  }

  @Test func aLedgerShorterThanItsSnapshotIsRefused() async throws {
    let (bench, store) = try await ledger(8)
    try store.writeSnapshot(payload: [], at: store.head)
    store.close()
    let path = try bench.segmentPath(try bench.segments().count - 1)
    let bytes = try contents(path)
    let lines = bytes.split(separator: 0x0A)
    try put(Array(lines.dropLast(2).joined(separator: [0x0A])) + [0x0A], at: path)
    let error = #expect(throws: LedgerError.self) { try bench.open() }
    #expect(error?.kind == .headMissing)
  }

  @Test func damageAfterTheSnapshotIsNamedByItsLineInTheSegment() async throws {
    let (bench, store) = try await ledger(4)
    try store.writeSnapshot(payload: [], at: store.head)
    _ = try store.append([Bench.grant(4)])
    _ = try store.append([Bench.grant(5)])
    store.close()
    let whole = try bench.verify()
    #expect(whole.damage.isEmpty)
    let path = try bench.segmentPath(1)
    var bytes = try contents(path)
    bytes[bytes.count - 1_000] ^= 1
    try put(bytes, at: path)
    let error = #expect(throws: LedgerError.self) { try bench.open() }
    #expect(error?.kind == .damaged(try bench.verify().damage))
  }

  @Test func aHeadThatIsNotInTheLedgerHasNoSnapshot() async throws {
    let (_, store) = try await ledger(2)
    for head in [LedgerHead(seq: store.head.seq, hash: .zero), LedgerHead(seq: 99, hash: .zero)] {
      #expect(throws: LedgerError.self) { try store.writeSnapshot(payload: [], at: head) }
    }
  }

  @Test func knownHeadsBeforeAndAfterTheSnapshotAreCompared() async throws {
    let (bench, store) = try await ledger(3)
    let early = store.head
    _ = try store.append([Bench.grant(3)])
    try store.writeSnapshot(payload: [], at: store.head)
    _ = try store.append([Bench.grant(4)])
    let late = store.head
    store.close()
    try bench.open(knownHeads: [early, late]).close()
    for head in [early, late] {
      let wrong = LedgerHead(seq: head.seq, hash: .zero)
      let error = #expect(throws: LedgerError.self) { try bench.open(knownHeads: [wrong]) }
      #expect(error?.kind == .headMissing)
    }
  }
}
