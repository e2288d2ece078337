import Digests
import Foundations
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Faults at every n-th call that changes something on the disk: nothing acknowledged is lost, nothing stands twice.
@Suite(.offThePool) struct FaultTests {
  /// What one run of the workload was promised.
  private struct Promised {
    var records: [Record] = []
    var failures = 0
    /// What the store said of itself that does not fit what it did.
    var contradictions: [String] = []
  }

  /// Opens, appends 12 grants one by one with a roll and a snapshot, trying what failed `tries` times.
  private func work(_ bench: Bench, tries: Int) async -> Promised {
    var promised = Promised()
    var opened: LedgerStore?
    for _ in 0..<tries where opened == nil {
      opened = try? bench.open()
      if opened == nil { promised.failures += 1 }
    }
    guard let store = opened else { return promised }
    for number in 0..<12 {
      for _ in 0..<tries {
        do {
          promised.records += try store.append([Bench.grant(number)])
          if store.status != .ready {
            promised.contradictions.append("\(store.status) after an append")
          }
          break
        } catch {
          promised.failures += 1
          guard case .failing = store.status else {
            promised.contradictions.append("\(store.status) after \(error)")
            continue
          }
        }
      }
      if number == 6 { try? store.writeSnapshot(payload: [1, 2, 3], at: store.head) }
    }
    store.close()
    return promised
  }

  /// In what the ledger, opened again, breaks what was promised, in words.
  private func breaches(in bench: Bench, _ promised: Promised) throws -> [String] {
    let store = try bench.reopened()
    defer { store.close() }
    let report = try bench.verify()
    var breaches = promised.contradictions + report.damage.map { "damage: \($0)" }
    let records = try bench.records()
    let bySeq = Dictionary(uniqueKeysWithValues: records.map { ($0.seq, $0) })
    breaches += promised.records.filter { bySeq[$0.seq] != $0 }.map { "\($0.seq) is lost" }
    if Set(records.keys).count != records.keys.count { breaches.append("a key stands twice") }
    if store.head != report.head { breaches.append("\(store.head) is not \(report.head)") }
    return breaches
  }

  @Test(arguments: [EIO, ENOSPC, EINTR].flatMap { [($0, false), ($0, true)] }, Medium.all)
  func anErrorAtEveryCall(_ error: (code: Int32, fromThenOn: Bool), _ medium: Medium) async throws {
    let (code, fromThenOn) = error
    var call = 1
    while true {
      var bench = try Bench(medium)
      bench.segmentLimitBytes = 2_500
      let files = bench.breakFiles(.init(fault: .error(code), atCall: call, fromThenOn: fromThenOn))
      let promised = await work(bench, tries: 3)
      let place = "call \(call), error \(code), \(fromThenOn ? "for good" : "once")"
      #expect(files.usesOfPoisoned == 0, "\(place): \(files.calls)")
      if !fromThenOn { #expect(promised.records.count == 12, "\(place)") }
      files.heal()
      #expect(try breaches(in: bench, promised) == [], "\(place)")
      guard files.calls.count >= call else { break }
      call += 1
    }
    #expect(call > 40)
  }

  @Test(arguments: [FaultyFileSystem.Fault.shortWrite, .kill], Medium.all)
  func aShortWriteOrDeathAtEveryCall(
    _ fault: FaultyFileSystem.Fault, _ medium: Medium
  ) async throws {
    var call = 1
    while true {
      var bench = try Bench(medium)
      bench.segmentLimitBytes = 2_500
      let files = bench.breakFiles(.init(fault: fault, atCall: call))
      let promised = await work(bench, tries: fault == .kill ? 1 : 3)
      if fault == .shortWrite { #expect(promised.failures == 0) }
      #expect(try breaches(in: bench, promised) == [], "\(fault) at call \(call)")
      guard files.calls.count >= call else { break }
      call += 1
    }
    #expect(call > 40)
  }

  @Test func deathAtEveryCallOfARecoveryIsRecoveredFrom() async throws {
    let torn = try Bench()
    let store = try torn.open()
    let promised = Promised(records: try store.append([Bench.grant(1)]))
    store.close()
    let path = try torn.segmentPath(0)
    try put(try contents(path) + Array("{\"seq\":5,\"at\":\"".utf8), at: path)
    for call in 1...30 {
      var bench = try Bench()
      try torn.folder.copy(to: bench.folder)
      bench.fileSystem = FaultyFileSystem(.init(fault: .kill, atCall: call))
      _ = try? bench.open().close()
      #expect(try breaches(in: bench, promised) == [], "death at call \(call)")
    }
  }

  @Test func nothingIsAcknowledgedBeforeTheSyncAndNewNamesAreSyncedFirst() async throws {
    var bench = try Bench()
    bench.segmentLimitBytes = 1_500
    let files = FaultyFileSystem()
    bench.fileSystem = files
    let synced = Lock([Int]())
    let store = try bench.open { _, _ in synced.withLock { $0.append(files.calls.count) } }
    for number in 0..<20 { _ = try store.append([Bench.grant(number)]) }
    let calls = files.calls
    for count in synced.withLock({ $0 }) {
      #expect(calls[count - 1].operation == "sync" && calls[count - 2].operation == "write")
      #expect(calls[count - 1].path == calls[count - 2].path)
    }
    for (index, call) in calls.enumerated() where call.operation == "open" {
      guard call.path.contains("/ledger/") else { continue }
      #expect(
        calls[index + 1]
          == .init(operation: "syncFolder", path: bench.directory.ledger, failed: false))
    }
    #expect(try bench.segments().count > 3)
  }

  /// The folders are there, but nobody has brought their names to the disk.
  @Test func whatAFailedStartLeftIsSyncedByTheNext() async throws {
    for call in 1...12 {
      var bench = try Bench()
      let first = FaultyFileSystem(.init(fault: .error(EIO), atCall: call))
      bench.fileSystem = first
      (try? bench.open())?.close()
      let second = FaultyFileSystem()
      bench.fileSystem = second
      let store = try bench.open()
      _ = try store.append([Bench.grant(1)])
      let made = (first.calls + second.calls).filter { $0.operation == "makeFolder" && !$0.failed }
      for folder in Set(made.map(\.path)) {
        let parent = folder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        #expect(
          second.calls.contains { $0.operation == "syncFolder" && $0.path == parent },
          "call \(call): \(folder)")
      }
      store.close()
    }
  }

  /// A process that is killed before its sync leaves a whole seal, which the next one reads although no disk has it yet.
  @Test func whatAKilledProcessHadWrittenIsSyncedBeforeAnythingStandsUponIt() async throws {
    func run(_ files: FaultyFileSystem) throws -> Bench {
      var bench = try Bench()
      bench.fileSystem = files
      let store = try bench.open()
      for number in 1...2 { _ = try? store.append([Bench.grant(number)]) }
      store.close()
      return bench
    }
    let healthy = FaultyFileSystem()
    _ = try run(healthy)
    let last = try #require(healthy.calls.lastIndex { $0.operation == "sync" })
    let dying = FaultyFileSystem(.init(fault: .kill, atCall: last + 1))
    var bench = try run(dying)
    #expect(dying.calls.last?.operation == "sync")
    let next = FaultyFileSystem()
    bench.fileSystem = next
    let store = try bench.open()
    #expect(store.head.seq > 3, "the second record is read")
    #expect(next.calls.contains { $0.operation == "sync" && $0.path.contains("/ledger/") })
    store.close()
  }

  @Test(arguments: Medium.all)
  func aFullDiskIsReportedAndTheStoreGoesOnWhenThereIsSpace(_ medium: Medium) async throws {
    var bench = try Bench(medium)
    let files = bench.breakFiles(.init(fault: .error(ENOSPC), atCall: 24, fromThenOn: true))
    let store = try bench.open()
    var promised = Promised()
    while let records = try? store.append([Bench.grant(promised.records.count)]) {
      promised.records += records
    }
    for _ in 0..<5 {
      let error = #expect(throws: LedgerError.self) {
        try store.append([Bench.grant(1_000)])
      }
      #expect(error?.remedy.contains("free some space") == true)
    }
    guard case .failing(let reason) = store.status else {
      Issue.record("the store is \(store.status)")
      return
    }
    #expect(reason.cause.contains("No space left"))
    store.probe()
    #expect(store.status == .failing(reason))
    files.heal()
    store.probe()
    #expect(store.status == .ready)
    #expect(
      try bench.otherFiles().names(in: bench.directory.state).allSatisfy { !$0.hasPrefix("probe") })
    promised.records += try store.append([Bench.grant(2_000)])
    #expect(store.status == .ready && files.usesOfPoisoned == 0)
    store.close()
    #expect(try breaches(in: bench, promised) == [])
    #expect(!(try bench.records().keys.contains("user1000/2026-11-20/watch")))
  }
}
