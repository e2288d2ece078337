import CivilTime
import Foundation
import Ledger
import LedgerStore
import Sandbox
import TestSupport
import Testing

@testable import NotificationRelay

/// A log is put aside when it is long or old; what is open stands in the next one, and nothing else is kept for ever.
@Suite(.offThePool) struct RelayLogTests {
  private let place: RelayPlace
  private let files = FileManager.default

  init() async throws { place = try await RelayPlace() }

  private var relay: String { place.directory.relay }
  private var folder: String { "\(relay)/journal" }

  /// The logs that were put aside.
  private var archives: [String] {
    get throws {
      try files.contentsOfDirectory(atPath: relay).filter { $0.contains("~") }.sorted()
    }
  }

  private func open(limitBytes: Int = 64 << 20, at seconds: Int64 = 0) throws -> RelayLog {
    var terms = place.terms
    terms.limitBytes = limitBytes
    return try RelayLog.open(
      "journal", in: place.directory, terms, now: place.clock.now().adding(seconds: seconds))
  }

  private static func attempt(
    _ seq: UInt64, _ outcome: DeliveryAttempt.Outcome, of user: String = "a"
  ) -> RelayRecord {
    .attempt(
      DeliveryAttempt(
        event: "l/\(seq)", position: EventPosition(seq: seq), lane: Lane(user: user), attempt: 1,
        outcome: outcome, reason: outcome == .delivered ? nil : "é \"no\""))
  }

  /// Something of every kind that can be open.
  private func fill(_ log: RelayLog) throws {
    let now = place.clock.now()
    var records: [RelayRecord] = [
      Self.attempt(3, .delivered), Self.attempt(4, .dead), Self.attempt(5, .dead, of: "b"),
      Self.attempt(6, .failed, of: "c"), .behind(Lane(user: "d"), from: EventPosition(seq: 7)),
      .replay(user: "b", positions: [EventPosition(seq: 5)], wereDead: true, actor: "me"),
      .paused(reason: "HTTP 410", actor: "relay"),
      .cursor(LedgerHead(seq: 2, hash: place.store.head.hash)),
    ]
    records += (0..<1_500).map {
      .behind(Lane(user: "lane-\($0)"), from: EventPosition(seq: UInt64(100 + $0)))
    }
    try log.commit(records, at: now)
  }

  private func dead() throws -> [String] {
    var dead = DeadLetters()
    try RelayLogReader("journal", in: place.directory).eachRecord { dead.apply($1, at: $0) }
    return dead.letters.map { "\($0.attempt.event) \($0.at)" }
  }

  @Test func whatIsOpenGoesOnInTheNextLog() throws {
    let log = try open()
    try fill(log)
    let (before, letters) = (log.progress, try dead())
    #expect(letters == ["l/4 \(place.clock.now())"])
    try files.createFile(atPath: "\(folder)/forgotten", contents: Data("x".utf8)).orThrow()
    for round in 1...3 {
      try log.exchange(now: place.clock.now().adding(seconds: Int64(round)))
      #expect(log.progress == before)
      #expect(try RelayLogReader("journal", in: place.directory).progress() == before)
      #expect(try dead() == letters)
      #expect(try archives.count == round)
    }
    #expect(files.fileExists(atPath: "\(folder)/forgotten"))
    try log.commit([Self.attempt(8, .delivered, of: "e")], at: place.clock.now())
    let after = log.progress
    #expect(after.delivered == before.delivered + 1)
    try log.close()
    // Also by the lines alone, and where a service opens it again.
    try files.removeItem(atPath: "\(folder)/cursor.json")
    #expect(try RelayLogReader("journal", in: place.directory).progress() == after)
    #expect(try open().progress == after)
    for lines in [[3, 5, 8], [4], [7], [3, 4, 5, 6, 7, 8]] as [Set<UInt64>] {
      var events: [String] = []
      try RelayLogReader("journal", in: place.directory).eachAttempt(at: lines) { _, attempt in
        events.append(attempt.event)
      }
      #expect(events == lines.subtracting([7]).sorted().map { "l/\($0)" })
    }
    for name in try archives + ["journal"] {
      let reader = try LedgerReader.open(folder: "\(relay)/\(name)")
      #expect(reader.ledger == place.store.report.ledger)
    }
  }

  /// Whatever is left of an exchange that was cut short, the next start has one whole log.
  @Test(arguments: ["beginning", "whole", "aside"]) func aCutExchangeIsFinished(at step: String)
    throws
  {
    let log = try open()
    try fill(log)
    let progress = log.progress
    try log.close()
    let next = "\(relay)/.journal.next"
    try files.copyItem(atPath: folder, toPath: next)
    if step == "beginning" { try files.removeItem(atPath: "\(next)/cursor.json") }
    if step == "aside" { try files.moveItem(atPath: folder, toPath: "\(relay)/journal~17") }
    #expect(try RelayLogReader("journal", in: place.directory).progress() == progress)
    let again = try open()
    #expect(again.progress == progress)
    #expect(!files.fileExists(atPath: next))
    try again.commit([Self.attempt(8, .delivered, of: "e")], at: place.clock.now())
    #expect(
      try RelayLogReader("journal", in: place.directory).progress().delivered == progress.delivered
        + 1)
  }

  @Test func aLongLogIsPutAsideAndAnOldOneRemoved() throws {
    let log = try open(limitBytes: 20_000)
    #expect(!log.isDue(now: place.clock.now()))
    for number in 0..<200 {
      try log.commit([Self.attempt(UInt64(number + 3), .delivered)], at: place.clock.now())
    }
    #expect(log.isDue(now: place.clock.now()))
    try log.exchange(now: place.clock.now())
    #expect(!log.isDue(now: place.clock.now()))
    #expect(log.isDue(now: place.clock.now().adding(seconds: 31 * 86_400)))
    try log.close()
    _ = try open(at: 29 * 86_400)
    #expect(try archives.count == 1)
    let old = try open(at: 31 * 86_400)
    #expect(try archives.isEmpty)
    #expect(old.progress.delivered == 200)
  }

  @Test func flawsOfALogAreSeen() throws {
    let log = try open()
    try fill(log)
    try log.exchange(now: place.clock.now())
    try log.commit([Self.attempt(8, .delivered, of: "e")], at: place.clock.now())
    try log.close()
    func flaws() throws -> [String] { try RelayLogReader("journal", in: place.directory).flaws() }
    #expect(try flaws() == [])
    let cursor = "\(folder)/cursor.json"
    let whole = try Data(contentsOf: URL(fileURLWithPath: cursor))
    let text = String(decoding: whole, as: UTF8.self)
    let forged = text.replacing("\"delivered\":2", with: "\"delivered\":3")
    #expect(forged != text, "\(text.prefix(300))")
    try Data(forged.utf8).write(to: URL(fileURLWithPath: cursor))
    #expect(try flaws().map { $0.hasSuffix("it is made anew") } == [true])
    try whole.write(to: URL(fileURLWithPath: cursor))
    for name in try archives + ["journal"] {
      let file = "\(relay)/\(name)/00000000000000000001.jsonl"
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      var changed = bytes
      let place = try #require(changed.firstIndex(of: UInt8(ascii: "d")))
      changed[place] = UInt8(ascii: "e")
      try changed.write(to: URL(fileURLWithPath: file))
      #expect(try flaws().first?.contains("its log is damaged") == true, "\(name)")
      try bytes.write(to: URL(fileURLWithPath: file))
    }
    #expect(try flaws() == [])
  }

  @Test func delaysAreToldOfAllLogsThatAreKept() throws {
    let log = try open()
    func deliver(_ seq: UInt64, after seconds: Int64?, of user: String = "a") throws {
      guard case .attempt(var attempt) = Self.attempt(seq, .delivered, of: user) else { return }
      attempt.delaySeconds = seconds
      try log.commit([.attempt(attempt)], at: place.clock.now())
    }
    // What a user is called says nothing of delays.
    try deliver(3, after: 7, of: #""delay":99"#)
    try deliver(4, after: nil, of: #"","delay":99"#)
    try log.exchange(now: place.clock.now())
    try deliver(5, after: 0)
    try log.commit([Self.attempt(6, .failed)], at: place.clock.now())
    var delays: [Int64] = []
    try RelayLogReader("journal", in: place.directory).eachDelay { delays.append($0) }
    #expect(delays == [7, 0])
    var read: [Int64?] = []
    try RelayLogReader("journal", in: place.directory).eachAttempt(at: [3, 4, 5]) {
      read.append($1.delaySeconds)
    }
    #expect(read == [7, nil, 0])
  }

  /// A backup that is made again and again follows the exchanges, and drops what is no longer kept.
  @Test func backupsFollowTheExchanges() throws {
    try place.commit("a")
    let log = try open()
    try fill(log)
    let backup = LedgerBackup(place.directory, into: "\(place.folder.path)/backup")
    #expect(try backup.run(now: place.clock.now(), command: "test").sinks == ["journal"])
    try log.exchange(now: place.clock.now())
    let name = try #require(try archives.first)
    let second = try backup.run(now: place.clock.now(), command: "test")
    #expect(second.sinks == ["journal", name])
    try log.close()
    _ = try open(at: 31 * 86_400)
    #expect(try backup.run(now: place.clock.now(), command: "test").sinks == ["journal"])
    #expect(
      try files.contentsOfDirectory(atPath: "\(place.folder.path)/backup/relay/\(name)").isEmpty)
    let restored = DataDirectory("\(place.folder.path)/restored")
    _ = try LedgerRestore("\(place.folder.path)/backup", into: restored).run(command: "test")
    #expect(try RelayLogReader("journal", in: restored).progress() == log.progress)
  }

  /// The log of a busy sink does not grow with what was delivered.
  @Test func theLogOfABusySinkIsBounded() async throws {
    var parts = try place.parts(ObedientSink())
    parts.log = try open(limitBytes: 50_000)
    let pump = RelayPump(parts)
    let running = Task { await pump.run() }
    for round in 1...20 {
      try place.commit((0..<200).map { "u\($0)" })
      pump.noteCommit()
      #expect(await eventually { await pump.figures.progress.delivered == round * 200 })
      await place.clock.run(until: place.clock.now().adding(seconds: 5 * 86_400))
    }
    await pump.finish(withinSeconds: 600)
    await running.value
    #expect(await pump.trouble == nil)
    // Of a hundred days the last thirty before the newest log are kept.
    let seconds = try archives.compactMap { Int64($0.split(separator: "~").last ?? "") }
    #expect(seconds.count > 1)
    #expect(try #require(seconds.last) - #require(seconds.first) <= 30 * 86_400)
    #expect(try RelayLogReader("journal", in: place.directory).progress().delivered == 4_000)
  }
}

extension Bool {
  fileprivate struct Failed: Error {}
  fileprivate func orThrow() throws { if !self { throw Failed() } }
}
