import CivilTime
import Foundation
import Foundations
import Ledger
import Sandbox
import TestSupport
import Testing

@testable import LedgerStore
@testable import NotificationRelay

/// The sealed logs of older versions are taken over at the first start, whatever state they were left in.
@Suite(.offThePool) struct SealedRelayLogTests {
  private let place: RelayPlace
  private let now: Instant
  private let files = FileManager.default

  init() async throws {
    place = try await RelayPlace()
    now = place.clock.now()
    try files.createDirectory(atPath: relay, withIntermediateDirectories: true)
  }

  private var relay: String { place.directory.relay }
  private var names: [String] {
    get throws { try files.contentsOfDirectory(atPath: relay).sorted() }
  }

  /// Writes a sealed log: its lines behind `seq` and `at`, a second apart.
  private func write(
    _ name: String, _ lines: [String], from start: Int64 = 0, ledger: String? = nil
  ) throws {
    let folder = "\(relay)/\(name)"
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let log = try LogOpening(
      folder: folder, stateFolder: place.directory.state, segmentLimitBytes: .max,
      fileSystem: PosixFileSystem(), monotonicSeconds: { 0 }
    ).open([], from: ChainStart(), heads: []).log
    defer { log.close() }
    var bytes: [UInt8] = []
    var encoder = RecordEncoder()
    let genesis = GenesisRecord(
      format: GenesisRecord.currentFormat, ledger: ledger ?? place.store.report.ledger,
      program: "old")
    try encoder.append(
      Record(seq: 1, at: now.adding(seconds: start), body: .genesis(genesis)), to: &bytes)
    for (offset, line) in lines.enumerated() {
      let seconds = start + Int64(offset) + 1
      encoder.appendFrame(
        seq: UInt64(offset + 2), at: now.adding(seconds: seconds), to: &bytes)
      bytes += Array("\(line)}\n".utf8)
    }
    _ = try log.commit(
      &bytes, count: lines.count + 1, at: now.adding(seconds: start + Int64(lines.count)))
  }

  /// Flips a bit of the log that is written; where it lies, and what stands there now.
  private func damage() throws -> (path: String, bytes: Data) {
    let path = "\(relay)/journal/00000000000000000001.jsonl"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[30] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    return (path, bytes)
  }

  private func attempt(_ seq: Int, _ outcome: String, of user: String = "a") -> String {
    #""type":"attempt","event":"l/\#(seq)","of":\#(seq),"user":"\#(user)","attempt":1,"outcome":"\#(outcome)","reason":"é""#
  }

  /// A log that was put aside, and the one that goes on after it.
  private func writeTwoLogs() throws {
    try write("journal~17", [attempt(3, "delivered"), attempt(4, "dead")], from: -86_400)
    let hash = place.store.head.hash
    let base =
      #"{\"seq\":2,\"hash\":\"\#(hash)\",\"log\":\"9:\#(hash)\",\"filter\":{\"events\":\"all\",\"after\":0},\"delivered\":7,\"failures\":1,\"deadLetters\":1,\"lastFailure\":{\"at\":\"2026-11-20T00:00:00Z\",\"reason\":\"no\"},\"behind\":[{\"lane\":\"events\",\"user\":\"c\",\"of\":6,\"index\":0,\"attempts\":2,\"due\":\"2026-11-21T00:00:00Z\"}],\"settledThrough\":[{\"lane\":\"events\",\"user\":\"a\",\"of\":4,\"index\":0}],\"replays\":[]}"#
    let half = base.index(base.startIndex, offsetBy: 100)
    try write(
      "journal",
      [
        #""type":"base","part":1,"parts":2,"text":"\#(base[..<half])""#,
        #""type":"base","part":2,"parts":2,"text":"\#(base[half...])""#,
        #""type":"dead","event":"l/4","of":4,"user":"a","attempt":3,"outcome":"dead","reason":"é","since":"2026-11-19T00:00:00Z""#,
        attempt(5, "dead", of: "b"),
        #""type":"filter","events":"all""#,
        #""type":"behind","lane":"account","user":"d","of":7,"index":100"#,
        #""type":"behind","user":"e","of":7"#, #""type":"caughtUp","user":"e""#,
        #""type":"replay","user":"b","events":[{"of":5}],"dead":true,"actor":"me""#,
        attempt(8, "delivered", of: "f"),
        #""type":"paused","reason":"HTTP 410","actor":"relay""#,
        #""type":"resumed","actor":"me""#, #""type":"paused","reason":"moving","actor":"bob""#,
      ])
  }

  /// What the folder says, with a progress that was read of it, and what it should say.
  private func told(_ progress: RelayProgress) throws -> [String] {
    let lanes = (Array(progress.behind.mapValues(\.from)) + Array(progress.settledThrough)).map {
      "\($0.key.user) \($0.key.kind) \($0.value.seq).\($0.value.index)"
    }
    return [
      "cursor \(progress.cursor)",
      "\(progress.delivered) delivered, \(progress.failures) failed, \(progress.deadLetters) dead",
      "last failure \(progress.lastFailure?.reason ?? "none")",
      "paused by \(progress.pause?.actor ?? "nobody"), \(progress.pause?.reason ?? "")",
      "attempts \(progress.behind.values.map(\.attempts).sorted())",
      "waiting \(progress.behind.values.compactMap(\.due))", "lanes \(lanes.sorted())",
      "replays \(progress.replays.map { "\($0.key.user) \($0.value.positions.map(\.seq))" })",
      "dead \(try place.sink().deadLetters().map { "\($0.attempt.event) \($0.at)" })",
      "tried \(try place.attempts().map(\.event))",
      "ledger \(try place.sink().kept()?.ledger ?? "")",
    ]
  }

  private var all: [String] {
    [
      "cursor 2:\(place.store.head.hash)", "8 delivered, 2 failed, 1 dead", "last failure é",
      "paused by bob, moving",
      // A resumption has let all that waited go at once.
      "attempts [0, 2]", "waiting []",
      #"lanes ["a events 4.0", "b events 5.0", "c events 6.0", "d account 7.100", "f events 8.0"]"#,
      #"replays ["b [5]"]"#, #"dead ["l/4 2026-11-19T00:00:00Z"]"#,
      #"tried ["l/3", "l/4", "l/5", "l/8"]"#, "ledger \(place.store.report.ledger)",
    ]
  }

  @Test func allOfItIsTakenOver() throws {
    try writeTwoLogs()
    // Of lines that no seal covers, as a crash leaves them, nothing was relied upon.
    let log = "\(relay)/journal/00000000000000000001.jsonl"
    let tail = #"{"seq":99,"at":"2026-11-20T12:00:00Z","type":"resumed","ac"#
    let whole = try Data(contentsOf: URL(fileURLWithPath: log))
    try (whole + Data(tail.utf8)).write(to: URL(fileURLWithPath: log))
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(relay)/journal/forgotten"))
    // Also those who only read know it, before anybody has.
    #expect(try told(place.progress()) == all)
    #expect(try told(place.writer().progress) == all)
    #expect(try told(place.progress()) == all)
    #expect(try names == ["journal"])
    let left = try files.contentsOfDirectory(atPath: "\(relay)/journal").sorted()
    #expect(
      left.map { $0.prefix(9) } == [
        "attempts-", "attempts-", "dead.json", "forgotten", "progress.",
      ])
    // Nothing is taken over twice.
    #expect(try told(place.writer().progress) == all)
  }

  /// The next start finishes what was cut short.
  @Test(arguments: 1...60) func aTakeoverMayBeCutShort(call: Int) throws {
    try writeTwoLogs()
    let faulty = FaultyFileSystem(.init(fault: .kill, atCall: call))
    _ = try? SinkWriter("journal", in: DataDirectory(place.directory.path, in: faulty), place.terms)
    #expect(try told(place.writer().progress) == all)
    #expect(try names == ["journal"])
  }

  /// Two renames put a log in the place of the one before: a crash may have come between them, or before the new one was whole.
  @Test(arguments: [true, false]) func anExchangeMayHaveBeenCutShort(isWhole: Bool) throws {
    try writeTwoLogs()
    if isWhole {
      try files.moveItem(atPath: "\(relay)/journal", toPath: "\(relay)/.journal.next")
      try files.createDirectory(atPath: "\(relay)/journal", withIntermediateDirectories: false)
      try Data().write(to: URL(fileURLWithPath: "\(relay)/.journal.next/cursor.json"))
    } else {
      try write(".journal.next", [attempt(9, "dead")])
    }
    #expect(try told(place.progress()) == all)
    #expect(try told(place.writer().progress) == all)
    #expect(try names == ["journal"])
  }

  @Test func anotherLedgersLogIsRefused() throws {
    try write("journal", [attempt(3, "delivered")], ledger: "another")
    #expect(throws: RelayError.self) { try place.writer() }
    #expect(try files.contentsOfDirectory(atPath: "\(relay)/journal").count == 1)
  }

  /// Of a log that is damaged nothing is believed; it is put aside, and every event is sent again.
  @Test func aDamagedLogIsPutAside() async throws {
    try place.commit("a")
    try writeTwoLogs()
    let (path, bytes) = try damage()
    #expect(throws: RelayError.self) { try place.progress() }
    #expect(try place.writer().doubt?.remedy.contains("the same ids") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == bytes)
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a"])
  }

  /// Beside a damaged log its cache says where the sink stood, if that is whole; letters are missed.
  @Test func aDamagedLogHasACache() async throws {
    try place.commit("a")
    try writeTwoLogs()
    let (path, bytes) = try damage()
    let head = place.store.head
    let cache =
      #"{"seq":\#(head.seq),"hash":"\#(head.hash)","log":"9:\#(head.hash)","delivered":7,"failures":1,"deadLetters":2,"pause":{"reason":"moving","actor":"bob","since":"2026-11-20T00:00:00Z"},"behind":[],"settledThrough":[],"replays":[]"#
    try Data(SinkFolder.Kept.closed(Array(cache.utf8)[...])).write(
      to: URL(fileURLWithPath: "\(relay)/journal/cursor.json"))
    let writer = try place.writer()
    #expect(writer.doubt == nil && writer.lostLetters == 2)
    #expect(writer.progress.pause?.reason == "moving" && writer.progress.cursor == head)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == bytes)
  }

  /// The oldest versions kept a cursor, and no log.
  @Test func theOldestKeptACursorAlone() async throws {
    try place.commit("a")
    let old = place.store.head
    try place.commit("b")
    try files.createDirectory(atPath: "\(relay)/journal", withIntermediateDirectories: true)
    try Data("{\"seq\":\(old.seq),\"hash\":\"\(old.hash)\"}\n".utf8).write(
      to: URL(fileURLWithPath: "\(relay)/journal/cursor.json"))
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["b"])
  }

  @Test(arguments: ["", "{", "{\"seq\":5}", "{\"seq\":-1,\"hash\":\"00\"}", "null\n"])
  func aDamagedCursorAloneSaysNothing(text: String) async throws {
    try place.commit("a")
    try files.createDirectory(atPath: "\(relay)/journal", withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(relay)/journal/cursor.json"))
    #expect(throws: RelayError.self) { try place.progress() }
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a"])
  }
}
