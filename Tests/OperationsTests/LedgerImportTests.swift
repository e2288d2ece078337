import AuditPage
import CivilTime
import Configuration
import Evidence
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// A ledger's users are divided among the shards of a database: every line goes along, and the parts add up to the whole.
@Suite(.offThePool) struct LedgerImportTests {
  private let place: TestPlace
  private let now: Instant
  private var backup: String { "\(place.path)/backup" }

  init() async throws {
    place = try await AuditScene.healthy()
    now = try InstantText.parse("2026-11-16T01:00:00Z").instant
  }

  private func backUp() async throws {
    _ = try await LedgerReading.backup(
      place.directory, into: backup, isFull: false, now: now, command: "test")
  }

  private func giveCup(at instant: String) async throws {
    try await place.at(instant) { runtime in
      var reward = Reward()
      reward.points = 7
      _ = try await ManualGift(runtime.writer).give(
        reward, to: "u3", id: "cup", reason: "prize", actor: "bob")
    }
  }

  private func configuration(_ shardID: ShardID, _ name: String = "shard") throws -> Configuration {
    var own = try place.configuration()
    own.data = "\(place.path)/\(name)-\(shardID.number)"
    own.apply(shardID)
    return own
  }

  private func take(
    _ shardID: ShardID, _ name: String = "shard"
  ) async throws -> LedgerImport.Report {
    let folder = try ScratchFolder(in: place.path)
    defer { folder.remove() }
    let shards = try (0..<shardID.count).map {
      DataDirectory(try configuration(ShardID($0, of: shardID.count), name).data)
    }
    return try await LedgerImport(
      backup, as: shardID, configuration(shardID, name), of: shards,
      place.environment(FixedClock(at: now))
    ).run(.init(isInboxComplete: true, workFolder: folder.path))
  }

  private func records(_ shardID: ShardID, _ name: String = "shard") throws -> [Record] {
    try LedgerFacts(configuration(shardID, name).directory).records
  }

  /// Without what is another in every part: numbers of lines.
  private static func content(_ record: Record) -> String {
    var body = record.body
    if case .grant(var grant) = body {
      grant.evidence = []
      body = .grant(grant)
    }
    body.settled?.through = 0
    body.by = nil
    return "\(record.at) \(body)"
  }

  @Test(arguments: [1, 3, 8]) func thePartsAddUpToTheWhole(_ count: Int) async throws {
    try await giveCup(at: "2026-11-16T00:40:00Z")
    try await backUp()
    let whole = try LedgerFacts(place.directory).records
    var lines: [String] = []
    var users = 0
    var closes: [Day: CloseRecord] = [:]
    for shardID in (0..<count).map({ ShardID($0, of: count) }) {
      let report = try await take(shardID)
      users += report.users ?? 0
      let part = try records(shardID)
      #expect(part.compactMap(\.body.user).allSatisfy(shardID.holds))
      lines += part.filter { $0.body.user != nil }.map(Self.content)
      for case .close(let close) in part.map(\.body) {
        let sum = closes[close.window.day]
        closes[close.window.day] = sum.map { Self.sum($0, close) } ?? close
      }
      #expect(Self.flawsOfEvidence(in: part) == [])
      guard case .operator(let last) = part.dropLast().last?.body else {
        Issue.record("the last line is not that of the import")
        continue
      }
      #expect(last.act == .bringIn && last.subject == report.source)
      #expect(last.what?.contains("\(report.sourceHead)") == true)
      let audit = Audit(
        try configuration(shardID), place.environment(FixedClock(at: now)), outside: [])
      #expect(try await audit.run().passed)
    }
    #expect(users == 20)
    #expect(lines.sorted() == whole.filter { $0.body.user != nil }.map(Self.content).sorted())
    for case .close(var close) in whole.map(\.body) {
      var sum = try #require(closes[close.window.day])
      (sum.head, close.head) = (.origin, .origin)
      #expect(sum == close)
    }
  }

  private static func sum(_ one: CloseRecord, _ other: CloseRecord) -> CloseRecord {
    var sum = one
    sum.users += other.users
    sum.points += other.points
    sum.exp += other.exp
    sum.counts += other.counts
    return sum
  }

  /// Grants that name lines that are no evidence about the same user, or none although something was done for them.
  private static func flawsOfEvidence(in part: [Record]) -> [String] {
    let bySeq = Dictionary(uniqueKeysWithValues: part.map { ($0.seq, $0.body) })
    var flaws: [String] = []
    for case .grant(let grant) in part.map(\.body) {
      for seq in grant.evidence {
        if case .evidence(let evidence) = bySeq[seq], evidence.user == grant.user { continue }
        flaws.append("\(grant.key) names line \(seq)")
      }
      if grant.evidence.isEmpty, !["manual", "level"].contains(grant.mission) {
        flaws.append("\(grant.key) names none")
      }
    }
    return flaws
  }

  @Test func aRepeatedImportGivesTheSameAndIsDoneOnce() async throws {
    try await backUp()
    let shardID = ShardID(1, of: 3)
    let first = try await take(shardID)
    #expect(first.users != nil)
    var again = try await take(shardID)
    #expect(again.users == nil && again.ledger == first.ledger && again.head == first.head)
    again = try await take(shardID, "other")
    #expect(again == first)
    #expect(try records(shardID) == records(shardID, "other"))
  }

  /// Nobody begins a ledger in a shard that waits for its users, and no other backup gets in between.
  @Test func aBackupHasAllShardsToItself() async throws {
    try await backUp()
    let (shardID, other) = (ShardID(0, of: 2), ShardID(1, of: 2))
    _ = try await take(shardID)
    await #expect(throws: LedgerError.self) {
      _ = try await Runtime.open(
        configuration(other), place.environment(FixedClock(at: now)))
    }
    try await giveCup(at: "2026-11-16T02:00:00Z")
    try await backUp()
    for shardID in [shardID, other] {
      await #expect(throws: RuntimeError.self) { _ = try await take(shardID) }
    }
  }

  @Test func aBackupOfAShardIsRefused() async throws {
    _ = try await LedgerReading.backup(
      place.directory, into: backup, isFull: false, now: now, command: "test",
      of: ShardID(1, of: 2))
    await #expect(throws: RuntimeError.self) { _ = try await take(ShardID(0, of: 3)) }
  }

  /// What lies behind the end that the backup names was never finished; what is wrong before it is refused.
  @Test func theBackupIsTakenAsItIsNamed() async throws {
    try await backUp()
    let manifest = place.read("backup/backup.json")
    let head = try LedgerReader.open(place.directory).head
    try await giveCup(at: "2026-11-16T02:00:00Z")
    try await backUp()
    try place.write("backup/backup.json", manifest)
    let shardID = ShardID(0, of: 1)
    #expect(try await take(shardID).sourceHead == head)
    #expect(
      try records(shardID).allSatisfy { $0.body.type != .operator || !"\($0.body)".contains("cup") }
    )
    let name = "backup/ledger/00000000000000000001.jsonl"
    let text = place.read(name)
    try place.write(
      name, text.replacing("\"points\":25", with: "\"points\":95", maxReplacements: 1))
    #expect(place.read(name) != text)
    await #expect(throws: RuntimeError.self) { _ = try await take(shardID, "damaged") }
    #expect(try LedgerRestore.claim(on: configuration(shardID, "damaged").directory) == nil)
  }

  /// A sink that has been served up to some line of the whole is served, of each part, up to the lines before that.
  @Test func sinksGoOnWhereTheyStood() async throws {
    let reader = try LedgerReader.open(place.directory)
    let whole = try LedgerFacts(place.directory).records
    let seal = try #require(whole.filter { $0.body.type == .seal }.dropLast(9).last)
    let sink = try SinkWriter("journal", in: place.directory, .init(ledger: reader.ledger))
    let late = try #require(whole.last { $0.body.user == "u3" && $0.seq < seal.seq })
    let early = try #require(whole.last { $0.body.user == "u4" })
    sink.apply(
      [
        .cursor(try reader.seals(of: [seal.seq])[0]),
        .behind(Lane(user: "u3"), from: EventPosition(seq: late.seq, index: 1)),
        .behind(Lane(user: "u4"), from: EventPosition(seq: early.seq)),
        .paused(reason: "moving", actor: "bob"),
      ], at: now)
    try sink.write(at: now)
    try await backUp()
    let served = whole.filter { $0.seq <= seal.seq && $0.body.user != nil }.count
    #expect(served > 0 && served < whole.filter { $0.body.user != nil }.count)
    var ours = 0
    for shardID in (0..<3).map({ ShardID($0, of: 3) }) {
      _ = try await take(shardID)
      let directory = DataDirectory(try configuration(shardID).data)
      let progress = try SinkFolder("journal", in: directory).progress()
      let cursor = progress.cursor
      #expect(progress.pause?.reason == "moving")
      let lanes = [("u3", late, 1), ("u4", early, 0)].filter { shardID.holds($0.0) }
      #expect(progress.behind.count == lanes.count)
      for (user, line, index) in lanes {
        let from = try #require(progress.behind[Lane(user: user)]).from
        #expect(from.index == index)
        let part = try records(shardID).first { $0.seq == from.seq }
        #expect(part.map(Self.content) == Self.content(line))
      }
      ours += try records(shardID).filter { $0.seq <= cursor.seq && $0.body.user != nil }.count
      #expect(try LedgerReader.open(directory).seals(of: [cursor.seq]) == [cursor])
    }
    #expect(ours == served)
  }

  @Test func looksGoWithTheirUsers() async throws {
    let journal = LookJournal(place.directory)
    let entries = (0..<20).map { number in
      var history = RouteHistory()
      history.looks = Int32(number)
      return LookEntry(user: "u\(number)", source: .lastStream, history: history)
    }
    try journal.write(entries, inboxThrough: now)
    try await backUp()
    var found: [LookEntry] = []
    for shardID in (0..<2).map({ ShardID($0, of: 2) }) {
      _ = try await take(shardID)
      let part = try LookJournal(configuration(shardID).directory).read {
        #expect(shardID.holds($0.user))
        found.append($0)
      }
      #expect(part.inboxThrough == now)
    }
    #expect(found.map(\.user).sorted() == entries.map(\.user).sorted())
    #expect(found.allSatisfy { "u\($0.history.looks)" == $0.user })
  }
}
