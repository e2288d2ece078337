import CivilTime
import Digests
import Foundations
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// A store on real files: what is appended, in what order, and what comes back.
@Suite(.offThePool) struct LedgerStoreTests {
  /// Whoever is told of a commit and reads at once finds it, and is told of nothing later that would wake him.
  @Test(arguments: Medium.all) func tellsOfACommitWhenItCanBeRead(_ medium: Medium) throws {
    let bench = try Bench(medium)
    let opened = Lock<LedgerStore?>(nil)
    let heads = Lock<[(told: LedgerHead, found: LedgerHead?)]>([])
    let store = try bench.open { _, head in
      let found = opened.withLock { $0 }?.head
      heads.withLock { $0.append((head, found)) }
    }
    opened.withLock { $0 = store }
    for user in ["a", "b"] {
      _ = try store.append([
        .level(LevelRecord(user: user, level: 2, effective: Instant(seconds: 0)))
      ])
    }
    #expect(heads.withLock { $0 }.count == 3)
    #expect(heads.withLock { $0 }.dropFirst().allSatisfy { $0.told == $0.found })
    opened.withLock { $0 = nil }
  }

  @Test(arguments: Medium.all) func aNewLedgerBeginsWithASealedGenesis(_ medium: Medium) throws {
    let bench = try Bench(medium)
    let store = try bench.open()
    #expect(store.report.isNew && store.head.seq == 2)
    #expect(store.report.ledger == "abababab-abab-4bab-abab-abababababab")
    #expect(try bench.records().map(\.body.type) == [.genesis, .seal])
    #expect(try bench.verify().damage.isEmpty)
  }

  @Test(arguments: Medium.all) func appendedRecordsComeBackAfterAnotherStart(_ medium: Medium)
    async throws
  {
    let bench = try Bench(medium)
    let store = try bench.open()
    let first = try store.append([Bench.grant(1), Bench.grant(2)])
    let second = try store.append([Bench.grant(3)])
    let head = store.head
    store.close()
    #expect(first.map(\.seq) == [3, 4] && second.map(\.seq) == [6] && head.seq == 7)
    let again = try bench.open()
    #expect(again.head == head && !again.report.isNew && again.report.cut == nil)
    #expect(again.report.ledger == store.report.ledger)
    var read: [Record] = []
    try again.reader.scan(after: 2) { read.append($0) }
    #expect(read.filter { $0.body.type != .seal } == first + second)
    #expect(try again.append([Bench.grant(4)]).map(\.seq) == [8])
  }

  /// Somebody takes the lock or the newest segment away, or puts another in its place, under a process that writes.
  @Test(arguments: ["lock", "ledger/00000000000000000001.jsonl", ""], [false, true])
  func aFolderThatIsMovedUnderTheWriterTakesNothingMore(what: String, isReplaced: Bool) throws {
    let bench = try Bench()
    let store = try bench.open()
    _ = try store.append([Bench.grant(1)])
    let path = what.isEmpty ? bench.directory.path : "\(bench.directory.path)/\(what)"
    let files = PosixFileSystem()
    try files.rename(path, to: "\(bench.folder.path).aside")
    if isReplaced {
      if what.isEmpty {
        _ = try files.makeFolder(path)
      } else {
        try files.replace(path, with: [Array("{}\n".utf8)])
      }
    }
    for _ in 0..<2 {
      #expect(throws: LedgerError.self) { try store.append([Bench.grant(2)]) }
      store.probe()
      #expect(store.isLost && !store.isReady)
    }
    store.close()
    if isReplaced, !what.isEmpty { try files.remove(path) }
    if isReplaced, what.isEmpty { try files.removeFolder(path) }
    try files.rename("\(bench.folder.path).aside", to: path)
    let again = try bench.open()
    #expect(again.head == store.head)
    #expect(try bench.verify().isIntact)
  }

  @Test(arguments: Medium.all) func theRecordedTimeNeverDecreases(_ medium: Medium) async throws {
    let bench = try Bench(medium)
    let store = try bench.open()
    let before = try store.append([Bench.grant(1), Bench.grant(2), Bench.grant(3)])
    store.close()
    // The clock of another start begins where this one did.
    let again = try bench.open()
    let after = try again.append([Bench.grant(4)])
    #expect(after[0].at >= before[0].at && after[0].at.nanoseconds == 123_000_000)
    #expect(try bench.verify().damage.isEmpty)
  }

  @Test(arguments: Medium.all) func segmentsRollAndABatchNeverSpansTwo(_ medium: Medium)
    async throws
  {
    var bench = try Bench(medium)
    bench.segmentLimitBytes = 4_000
    let store = try bench.open()
    for number in 0..<40 { _ = try store.append([Bench.grant(number)]) }
    // The first is the genesis.
    #expect(store.statistics.commits == 41 && store.statistics.records == 41)
    let names = try bench.segments()
    #expect(names.count > 5 && names[0] == "00000000000000000001.jsonl")
    for index in names.indices {
      let bytes = try bench.segment(index)
      #expect(bytes.count <= 4_000 && bytes.last == 0x0A)
      let lines = bytes.split(separator: 0x0A)
      #expect(String(decoding: lines[lines.count - 1], as: UTF8.self).contains("\"type\":\"seal\""))
    }
    for stretchBytes in [100, 700, 3_000, 100_000] {
      let report = try bench.verify(stretchBytes: stretchBytes)
      #expect(report.damage.isEmpty && report.head == store.head)
      #expect(report.records == Int(store.head.seq))
    }
    store.close()
    let again = try bench.open()
    #expect(again.head == store.head)
    #expect(try again.append([Bench.grant(40)])[0].seq == store.head.seq + 1)
    #expect(try bench.records().map(\.seq) == Array(1...again.head.seq))
  }

  @Test(arguments: Medium.all) func whatCannotBeWrittenIsRefusedAndHarmsNobodyElse(_ medium: Medium)
    async throws
  {
    var bench = try Bench(medium)
    bench.segmentLimitBytes = 100_000
    let store = try bench.open()
    let long = String(repeating: "x", count: 70_000)
    let requests = [
      [Bench.grant(1, cause: long)], (0..<1_000).map { Bench.grant($0) }, [Bench.grant(5_000)],
    ]
    let outcomes = await withTaskGroup(of: (Int, LedgerError.Kind?).self) { group in
      for (index, bodies) in requests.enumerated() {
        group.addTask {
          do {
            return (index, try store.append(bodies).count == 1 ? nil : .missing)
          } catch {
            return (index, (error as? LedgerError)?.kind)
          }
        }
      }
      return await group.reduce(into: [Int: LedgerError.Kind]()) { $0[$1.0] = $1.1 }
    }
    #expect(outcomes == [0: .refused, 1: .refused])
    #expect(try bench.records().keys == ["user5000/2026-11-20/watch"])
    #expect(store.status == .ready)
  }

  @Test(arguments: Medium.all) func readersReadFromAnySeqAndTheExactBytes(_ medium: Medium)
    async throws
  {
    var bench = try Bench(medium)
    bench.segmentLimitBytes = 2_000
    let store = try bench.open()
    for number in 0..<20 { _ = try store.append([Bench.grant(number)]) }
    let all = try bench.segments().indices.flatMap { try bench.segment($0) }
    var raw: [UInt8] = []
    try store.reader.scanLines(after: 0) { _, line in
      raw += line
      return .next
    }
    #expect(raw == all)
    for seq in 0...store.head.seq {
      var seqs: [UInt64] = []
      try store.reader.scan(after: seq) { seqs.append($0.seq) }
      #expect(seqs == (seq..<store.head.seq).map { $0 + 1 })
    }
  }

  @Test(arguments: Medium.all) func largeLedgersAreDecodedOnSeveralThreadsInOrder(_ medium: Medium)
    async throws
  {
    let bench = try Bench(medium)
    let store = try bench.open()
    for group in 0..<10 {
      _ = try store.append((0..<2_000).map { Bench.grant(group * 2_000 + $0) })
    }
    for threads in [1, 2, 3] {
      var next: UInt64 = 1_001
      try store.reader.scan(after: 1_000, threads: threads) { record in
        #expect(record.seq == next)
        next += 1
      }
      #expect(next == store.head.seq + 1)
    }
  }

  @Test func aLineThatCannotBeReadIsNamedByItsPlace() async throws {
    let bench = try Bench()
    let store = try bench.open()
    _ = try store.append((0..<3_000).map { Bench.grant($0) })
    let path = try bench.segmentPath(0)
    var bytes = try contents(path)
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }
    let start = ends[1_998] + 1
    bytes[start + 2] = UInt8(ascii: "x")
    try put(bytes, at: path)
    var read = 0
    let error = #expect(throws: LedgerError.self) {
      try store.reader.scan { _ in read += 1 }
    }
    #expect(read == 1_999)
    guard case .damaged(let damage) = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      damage.map(\.line) == [2_000] && damage[0].byte >= start && damage[0].byte <= ends[1_999])
  }

  @Test(arguments: Medium.all) func aClosedStoreRefusesAndLetsTheNextOneIn(_ medium: Medium)
    async throws
  {
    let bench = try Bench(medium)
    let store = try bench.open()
    store.close()
    let error = #expect(throws: LedgerError.self) { try store.append([Bench.grant(1)]) }
    #expect(error?.kind == .closed && store.status == .closed)
    #expect(try bench.open().head == store.head)
  }

  @Test func aSecondWriterIsRefusedAndToldWhoHoldsTheLock() throws {
    let bench = try Bench()
    let store = try bench.open()
    let error = #expect(throws: LedgerError.self) { try bench.open() }
    #expect(error?.kind == .locked)
    #expect(error?.cause.contains("pid \(getpid()) (rewards serve)") == true)
    store.close()
    #expect(throws: Never.self) { try bench.open() }
  }

  @Test func whenManyOpenAtOnceExactlyOneIsTheWriter() async throws {
    for _ in 0..<50 {
      let bench = try Bench()
      let winners = await withTaskGroup(of: LedgerStore?.self) { group in
        for _ in 0..<4 { group.addTask { try? bench.open() } }
        var winners: [LedgerStore] = []
        for await store in group { if let store { winners.append(store) } }
        return winners
      }
      #expect(winners.count == 1)
    }
  }
}
