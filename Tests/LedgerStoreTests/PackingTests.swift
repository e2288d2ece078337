import Foundations
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Old segments that are packed: the same lines, hashes and head; nothing is lost, whatever happens meanwhile.
@Suite(.offThePool) struct PackingTests {
  /// A ledger of many segments; the newest holds a few lines.
  private static func ledger() async throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = 3_000
    let store = try bench.open()
    for number in 0..<40 { _ = try store.append([Bench.grant(number)]) }
    store.close()
    return bench
  }

  private func compaction(
    _ bench: Bench, _ fileSystem: any FileSystem = PosixFileSystem()
  ) -> LedgerCompaction {
    LedgerCompaction(bench.directory(in: fileSystem))
  }

  /// The bytes of all lines in order.
  private func lines(of bench: Bench) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try LedgerReader.open(bench.directory).scanLines(after: 0) { _, line in
      bytes += line
      return .next
    }
    return bytes
  }

  @Test func aPackedLedgerReadsAndVerifiesAsBefore() async throws {
    let bench = try await Self.ledger()
    let before = (try lines(of: bench), try bench.records(), try bench.verify())
    let segments = try bench.segments()
    let packed = try compaction(bench).run()
    #expect(packed.map(\.segment) == Array(segments.dropLast()))
    #expect(packed.allSatisfy { $0.packedBytes < $0.originalBytes })
    #expect(try bench.segments() == segments.dropLast().map { "\($0).zst" } + [segments.last])
    #expect(try lines(of: bench) == before.0)
    #expect(try bench.records() == before.1)
    for stretchBytes in [500, 4_000, 16 << 20] {
      let report = try bench.verify(stretchBytes: stretchBytes, heads: [before.2.head])
      #expect(report.damage.isEmpty)
      #expect(report.records == before.2.records && report.head == before.2.head)
    }
    #expect(try compaction(bench).run().isEmpty)
    let store = try bench.open(knownHeads: [before.2.head])
    for number in 40..<60 { _ = try store.append([Bench.grant(number)]) }
    // Beside a writer, and for a reader that was made before.
    let reader = store.reader
    #expect(try !compaction(bench).run(keeping: 2).isEmpty)
    var grants = 0
    try reader.scan { if case .grant = $0.body { grants += 1 } }
    #expect(grants == 60)
    try store.writeSnapshot(payload: [1], at: store.head)
    store.close()
    #expect(try bench.reopened().report.cut == nil)
  }

  @Test(arguments: [
    FaultyFileSystem.Fault.kill, .error(EIO), .error(ENOSPC), .error(EINTR), .shortWrite,
  ])
  func aFaultAtEveryCallLosesNothing(_ fault: FaultyFileSystem.Fault) async throws {
    let bench = try await Self.ledger()
    let whole = try lines(of: bench)
    let copy = try TemporaryFolder()
    try bench.folder.copy(to: copy)
    var call = 1
    while true {
      try copy.copy(to: bench.folder)
      let fileSystem = FaultyFileSystem(.init(fault: fault, atCall: call))
      _ = try? compaction(bench, fileSystem).run()
      guard fileSystem.wasReached else { break }
      #expect(fileSystem.usesOfPoisoned == 0, "call \(call)")
      #expect(try lines(of: bench) == whole, "call \(call)")
      #expect(try bench.verify().damage.isEmpty, "call \(call)")
      _ = try compaction(bench).run()
      #expect(try lines(of: bench) == whole, "call \(call)")
      #expect(
        try bench.segments().count { $0.hasSuffix(".jsonl") } == 1, "call \(call): not finished")
      call += 1
    }
    #expect(call > 20)
  }

  @Test func aDamagedPackIsNamedAndNeverReadSilently() async throws {
    let bench = try await Self.ledger()
    let whole = try lines(of: bench)
    _ = try compaction(bench).run()
    let path = try bench.segmentPath(2)
    let name = String(try bench.segments()[2].dropLast(".zst".count))
    let packed = try contents(path)
    var random = SplitMix64(seed: 5)
    for _ in 0..<400 {
      var broken = packed
      let index = Int(random.number(in: 0...Int64(packed.count - 1)))
      broken[index] ^= 1 << UInt8(random.number(in: 0...7))
      try put(broken, at: path)
      let report = try bench.verify()
      if report.damage.isEmpty {
        // A bit without meaning.
        #expect(try lines(of: bench) == whole, "byte \(index)")
      } else {
        #expect(report.damage.map(\.kind) == [.packing], "byte \(index): \(report.damage)")
        #expect(report.damage[0].segment == name)
        #expect(throws: LedgerError.self) { try bench.open().close() }
      }
    }
    for count in [0, 1, 20, packed.count / 2, packed.count - 1] {
      try put(Array(packed[..<count]), at: path)
      #expect(try bench.verify().damage.map(\.kind) == [.packing], "cut at \(count)")
    }
  }

  @Test func whatIsNotWholeIsNotPacked() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    var bytes = try contents(path)
    bytes[bytes.count / 2] ^= 1
    try put(bytes, at: path)
    #expect(throws: LedgerError.self) { try compaction(bench).run() }
    #expect(try bench.segments().allSatisfy { $0.hasSuffix(".jsonl") })
  }

  @Test func aPackedNewestSegmentIsRefusedForWriting() async throws {
    let bench = try await Self.ledger()
    _ = try compaction(bench).run()
    let last = try #require(try bench.segments().last)
    #expect(unlink("\(bench.directory.ledger)/\(last)") == 0)
    let error = #expect(throws: LedgerError.self) { try bench.open().close() }
    #expect(error?.remedy.contains("zstd -d --rm") == true)
    #expect(try bench.verify().damage.isEmpty)
  }
}
