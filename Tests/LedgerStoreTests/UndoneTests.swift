import CivilTime
import Foundations
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Lines that were taken back stay in the chain, and no reader hands them on.
@Suite(.offThePool) struct UndoneTests {
  /// Two grants that stand, two that are taken back, and one of those again.
  private func bench() throws -> Bench {
    let bench = try Bench()
    let store = try bench.open()
    _ = try store.append([Bench.grant(1)])
    _ = try store.append([Bench.grant(2)])
    let last = store.head.seq
    _ = try store.append([Bench.grant(3), Bench.grant(4)])
    store.close()
    // The clock of a store begins anew: by that of this one the others have not come.
    let later = try bench.open()
    _ = try later.append([undoing(last), Bench.grant(3)])
    later.close()
    return bench
  }

  private func undoing(_ last: UInt64) -> RecordBody {
    .operator(OperatorRecord(act: .undoFuture, subject: "\(last)", reason: "r", actor: "op"))
  }

  private func users(_ records: [Record]) -> [String] { records.compactMap(\.body.user) }

  @Test func noReaderHandsThemOn() throws {
    let bench = try bench()
    let records = try bench.records()
    #expect(users(records) == ["user1", "user2", "user3"])
    // The seals of what was taken back are handed on: they say up to where a reader has come.
    #expect(records.map(\.seq) == [1, 2, 3, 4, 5, 6, 9, 10, 11, 12])
    let reader = try LedgerReader.open(bench.directory)
    var found: [Record] = []
    try reader.scan(.ofTypes([.grant])) { found.append($0) }
    #expect(users(found) == ["user1", "user2", "user3"])
    found = []
    try reader.scan(.of(.named(["user3", "user4"]))) { found.append($0) }
    #expect(found.compactMap(\.body.user).map { $0 } == ["user3"] && found.last?.seq == 11)
    // From the midst of what is taken back, too.
    found = []
    try reader.scan(after: 7) { found.append($0) }
    #expect(users(found) == ["user3"])
    #expect(
      try [6, 7, 8, 9, 10, 11].map { try reader.isUndone($0) } == [
        false, true, true, true, false, false,
      ])
    var slice = ""
    try LedgerSlices(reader).scan(LineSelection(), as: .lines) {
      slice += String(decoding: $0, as: UTF8.self)
      return .next
    }
    #expect(slice.split(separator: "\n").filter { $0.contains("\"type\":\"grant\"") }.count == 3)
    let counts = try LedgerSlices(reader).count()
    #expect(counts.records[.grant] == 3 && counts.points == 45)
    var whole = 0
    try reader.scanLines(after: 0) { _, _ in
      whole += 1
      return .next
    }
    #expect(whole == 12)
  }

  @Test func theActBeginsASegmentAndIsRecordedAtThePresent() throws {
    let bench = try bench()
    #expect(
      try bench.segments().map { $0.prefix(20) } == [
        "00000000000000000001", "00000000000000000010",
      ])
    let records = try bench.records()
    let act = try #require(records.first { $0.body.type == .operator })
    let before = try #require(records.first { $0.seq == 6 })
    #expect(act.at < before.at)
    #expect(records.last?.at == act.at)
  }

  /// A key that was taken back may be granted again; one that stands may not, nor may one that was granted again.
  @Test(arguments: [(1, false), (3, false), (4, true)])
  func aKeyMayBeGrantedAgainOnce(number: Int, isRight: Bool) throws {
    let bench = try bench()
    #expect(try bench.verify().isIntact)
    let store = try bench.open()
    _ = try store.append([Bench.grant(number)])
    store.close()
    let damage = try bench.verify(stretchBytes: 1).damage
    #expect(damage.map(\.kind) == (isRight ? [] : [.duplicateKey]))
  }

  @Test(.enabled(if: DatabasePlace.isAvailable)) func aDatabaseTakesNoneBack() throws {
    let bench = try Bench(.database)
    let store = try bench.open()
    defer { store.close() }
    _ = try store.append([Bench.grant(1)])
    let head = store.head
    #expect(throws: LedgerError.self) { _ = try store.append([undoing(1)]) }
    #expect(store.head == head)
  }

  /// No other record may be recorded before the last one.
  @Test(arguments: [OperatorRecord.Act.undoFuture, .acceptClock])
  func timeGoesBackForTheActAlone(act: OperatorRecord.Act) throws {
    var encoder = RecordEncoder()
    var sealer = SealBuilder()
    let at = Instant(seconds: 1_795_186_799)
    var bytes: [UInt8] = []
    try encoder.append(
      Record(seq: 1, at: at, body: .genesis(GenesisRecord(format: 1, ledger: "l", program: "p"))),
      to: &bytes)
    try encoder.append(Record(seq: 2, at: at, body: Bench.grant(1)), to: &bytes)
    let head = sealer.seal(&bytes, count: 2, seq: 3, at: at, prev: .origin)
    var later: [UInt8] = []
    let body = RecordBody.operator(
      OperatorRecord(act: act, subject: "1", reason: "r", actor: "op"))
    try encoder.append(
      Record(seq: 4, at: at.adding(seconds: -60), body: body), to: &later)
    _ = sealer.seal(&later, count: 1, seq: 5, at: at.adding(seconds: -60), prev: head)
    var checker = ChainChecker(segment: "s", after: .origin, byte: 0)
    (bytes + later).withUnsafeBufferPointer { _ = checker.feed($0, until: .max) }
    #expect(checker.damage.map(\.kind) == (act == .undoFuture ? [] : [.timeGoesBack]))
    #expect(checker.undone == (act == .undoFuture ? [2...3] : []))
  }
}
