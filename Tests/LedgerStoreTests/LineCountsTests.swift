import Ledger
import LedgerStore
import TestSupport
import Testing

/// Counting lines by their bytes gives what counting decoded records gives.
@Suite(.offThePool) struct LineCountsTests {
  @Test func countsAreThoseOfTheDecodedRecords() async throws {
    var bench = try Bench()
    bench.segmentLimitBytes = 200_000
    let store = try bench.open()
    // More than one piece for each thread.
    for group in 0..<40 {
      _ = try store.append((0..<100).map { Bench.grant(group * 100 + $0) })
    }
    store.close()
    let records = try bench.records()
    let counts = try LedgerSlices(LedgerReader.open(bench.directory)).count()
    var types: [RecordType: Int] = [:]
    for record in records { types[record.body.type, default: 0] += 1 }
    #expect(counts.records == types && counts.strangers == 0 && counts.total == records.count)
    #expect(counts.grants == ["watch": 4_000])
    #expect(counts.points == 60_000 && counts.exp == 0)
    #expect(counts.span?.first == records.first?.at && counts.span?.last == records.last?.at)

    let reader = try LedgerReader.open(bench.directory)
    let verifier = LedgerVerifier(
      folder: bench.directory.ledger, fileSystem: bench.directory.files, stretchBytes: 10_000)
    let verified = try #require(try verifier.verify(counts: reader.emptyCounts()).counts)
    #expect(verified.records == types && verified.total == records.count)
    #expect(verified.grants == counts.grants && verified.points == counts.points)
    #expect(verified.exp == counts.exp && verified.span?.first == counts.span?.first)
    #expect(verified.span?.last == counts.span?.last)
    #expect(try verifier.verify().counts == nil)
  }
}
