import AuditPage
import CivilTime
import Configuration
import Foundation
import Foundations
import Ledger
import RewardRules
import TestSupport
import Testing

@testable import LedgerStore
@testable import Operations

/// An audit of what is new finds what one of everything finds, whether it lies behind the last one or changes what lies before it.
@Suite(.offThePool) struct AuditSinceTests {
  private func audit(_ place: TestPlace, sinceLast: Bool) async throws -> AuditReport {
    let clock = FixedClock(at: try InstantText.parse("2026-11-16T01:00:00Z").instant)
    var audit = try Audit(place.configuration(), place.environment(clock), sinceLast: sinceLast)
    audit.daysHeld = 1
    return try await audit.run()
  }

  private func found(_ report: AuditReport) -> [Int] {
    report.checks.filter { !$0.passed }.map(\.id)
  }

  private struct FirstAuditFailed: Error {}

  /// A place whose ledger was audited when it had its first records, and then got the others, `change` applied to them.
  private func place(
    _ records: [Record], auditedAfter count: Int, segmentBytes: Int? = nil,
    _ change: (RecordBody) -> [RecordBody] = { [$0] }
  ) async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.relay = "{}"
    let place = try TestPlace(settings)
    let bodies = AuditScene.bodies(records)
    let times = records.filter { $0.body.type != .seal }.map(\.at)
    try AuditScene.append(
      bodies[..<count], to: place, at: Array(times[...count]), segmentBytes: segmentBytes)
    guard try await audit(place, sinceLast: false).passed else { throw FirstAuditFailed() }
    let rest = bodies[count...].flatMap(change)
    try AuditScene.append(
      rest[...], to: place, at: Array(times[(count + 1)...]), segmentBytes: segmentBytes)
    return place
  }

  /// The places behind a close, where a night is over.
  private func nights(_ records: [Record]) -> [Int] {
    AuditScene.bodies(records).enumerated().filter { $0.element.type == .close }
      .map { $0.offset + 1 }
  }

  /// The first places after these where a commit ends: an act and its records share a seal.
  private func commits(_ records: [Record], after counts: [Int]) -> [Int] {
    var bodies = 0
    var ends: [Int] = []
    for record in records where record.body.type != .genesis {
      if record.body.type == .seal { ends.append(bodies) } else { bodies += 1 }
    }
    return counts.compactMap { count in ends.first { $0 >= count } }
  }

  @Test func whatIsNewIsProvedByItself() async throws {
    let records = try await AuditScene.healthyRecords()
    for count in nights(records) + commits(records, after: [40, 100]) {
      let place = try await place(records, auditedAfter: count)
      let report = try await audit(place, sinceLast: true)
      #expect(found(report) == [], "\(count)")
      let whole = try await audit(place, sinceLast: false)
      let isLater = count > nights(records)[0]
      #expect(report.checks[4].examined < whole.checks[4].examined || !isLater, "\(count)")
      #expect(report.checks[0].note?.isEmpty == false && whole.checks[0].note == nil)
      // It has left a checkpoint itself; nothing is new behind that.
      #expect(try await audit(place, sinceLast: true).checks[4].examined == 0)
    }
  }

  /// A snapshot of the part that is proved is not held against the state behind it.
  @Test func aSnapshotBeforeTheCheckpointIsNoStranger() async throws {
    let records = try await AuditScene.healthyRecords()
    let place = try await place(records, auditedAfter: nights(records)[0])
    let written = try LedgerFacts(place.directory).records
    let seal = try #require(written.first { $0.seq > 21 && $0.body.type == .seal })
    try AuditScene.writeSnapshot(place, at: seal.seq)
    #expect(found(try await audit(place, sinceLast: true)) == [])
    #expect(found(try await audit(place, sinceLast: false)) == [])
    #expect(found(try await audit(place, sinceLast: true)) == [])
  }

  /// The state that it goes on from is the one that the ledger's lines make.
  @Test func theCheckpointHoldsTheStateOfItsHead() async throws {
    let place = try await AuditScene.healthy()
    _ = try await audit(place, sinceLast: false)
    let reader = try LedgerReader.open(place.directory)
    let checkpoint = try #require(
      try AuditCheckpoint(place.directory, of: reader.ledger))
    #expect(checkpoint.head == reader.head)
    var state = LedgerState()
    try reader.scan { state.apply($0) }
    #expect(checkpoint.payload == StateSnapshot.write(state))
  }

  @Test(arguments: AuditScene.Plant.allCases)
  func aFaultBehindTheCheckpointIsFound(_ plant: AuditScene.Plant) async throws {
    let records = try await AuditScene.healthyRecords()
    let nights = nights(records)
    for count in [nights[0], nights[3]] {
      var isDone = false
      let place = try await place(records, auditedAfter: count) { body in
        guard !isDone, let changed = AuditScene.planted(plant, in: body) else { return [body] }
        isDone = true
        return changed
      }
      // Few days later there is no third day in a row any more.
      if !isDone { continue }
      let since = found(try await audit(place, sinceLast: true))
      // An outlier is far from others of which there are too few; who has more than the rules give is found all the same.
      let check = plant == .outlier ? AuditScene.Plant.points.check : plant.check
      #expect(since.contains(check), "\(plant), \(count): \(since)")
      let whole = found(try await audit(place, sinceLast: false))
      #expect(whole.contains(plant.check), "\(plant), \(count): \(whole)")
    }
  }

  /// Facts that reach back over the checkpoint.
  @Test func whatConcernsDaysBeforeTheCheckpointIsFound() async throws {
    let records = try await AuditScene.healthyRecords()
    let count = nights(records)[4]
    let first = try #require(
      AuditScene.bodies(records).lazy.compactMap { body -> GrantRecord? in
        if case .grant(let grant) = body, grant.mission == "comment" { grant } else { nil }
      }.first)
    let missed = Day(number: first.day.number + 3)
    var again = first
    again.key += "#1"
    again.reward.points = 3
    let acts: [(what: String, body: RecordBody)] = [
      ("granted again", .grant(first)), ("adjusted", .grant(again)),
      (
        "excused",
        .excuse(ExcuseRecord(from: missed, to: missed, reason: "API down", actor: "tester"))
      ),
      (
        "excused alone",
        .excuse(
          ExcuseRecord(from: missed, to: missed, users: ["u0"], reason: "ill", actor: "tester"))
      ),
      (
        "credited",
        .credit(CreditRecord(user: "u3", Credit(effective: first.effective, exp: 500)))
      ),
    ]
    for (what, body) in acts {
      let place = try await place(records, auditedAfter: count) { [$0] }
      try AuditScene.append([body], to: place, at: [])
      let whole = try await audit(place, sinceLast: false)
      let since = try await audit(place, sinceLast: true)
      #expect(whole.needsAttention, "\(what)")
      #expect(since.waiting == whole.waiting, "\(what)")
      #expect(Set(found(whole)).subtracting(found(since)) == [], "\(what)")
      // Who waits goes on waiting.
      #expect(try await audit(place, sinceLast: true).waiting == whole.waiting, "\(what)")
    }
  }

  @Test func changedBytesBeforeTheCheckpointAreFound() async throws {
    let records = try await AuditScene.healthyRecords()
    for segmentBytes in [8_000, 1 << 20] {
      let first = try await place(
        records, auditedAfter: nights(records)[4], segmentBytes: segmentBytes)
      let names = try FileManager.default.contentsOfDirectory(atPath: first.directory.ledger)
        .sorted()
      #expect(segmentBytes > 8_000 || names.count > 5)
      for name in [names[0], names[names.count / 2]] {
        let place = try await place(
          records, auditedAfter: nights(records)[4], segmentBytes: segmentBytes)
        #expect(found(try await audit(place, sinceLast: true)) == [])
        var bytes = Array(place.read("data/ledger/\(name)").utf8)
        bytes[bytes.count / 3] ^= 1
        try place.write("data/ledger/\(name)", String(decoding: bytes, as: UTF8.self))
        let report = try await audit(place, sinceLast: true)
        #expect(!report.passed && report.checks.contains { $0.leftOut != nil }, "\(name)")
        try place.remove("data/ledger/\(name)")
        if names.count > 1, name != names[0] {
          #expect(try await !audit(place, sinceLast: true).passed)
        }
      }
    }
  }

  /// Records cut from the end leave a whole chain; the checkpoint knows that there were more.
  @Test func aCutEndIsFoundByAnAuditOfEverythingToo() async throws {
    let place = try await AuditScene.healthy()
    #expect(try await audit(place, sinceLast: false).passed)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: place.directory.ledger).sorted().last)
    let lines = place.read("data/ledger/\(name)").split(separator: "\n")
    let seal = try #require(lines.dropLast().lastIndex { $0.contains("\"type\":\"seal\"") })
    try place.write(
      "data/ledger/\(name)", lines[...seal].joined(separator: "\n").appending("\n"))
    for sinceLast in [false, true, false] {
      #expect(try await !audit(place, sinceLast: sinceLast).passed)
    }
  }

  @Test func aCheckpointThatIsDamagedOrForeignIsRefused() async throws {
    let place = try await AuditScene.healthy()
    _ = try await audit(place, sinceLast: false)
    let path = AuditCheckpoint.path(place.directory)
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in stride(from: 0, to: good.count, by: max(1, good.count / 60)) {
      var bad = good
      bad[index] ^= 4
      try bad.write(to: URL(fileURLWithPath: path))
      let error = await #expect(throws: LedgerError.self, "byte \(index)") {
        try await audit(place, sinceLast: true)
      }
      #expect(error?.kind == .checkpoint && error?.remedy.contains("rewards audit") == true)
    }
    try good.write(to: URL(fileURLWithPath: path))
    let other = try await AuditScene.healthy()
    try AuditScene.rewrite(other) { $0 }
    _ = try await audit(other, sinceLast: false)
    // The same ledger, cut short: the head of the checkpoint is not in it.
    try FileManager.default.removeItem(atPath: place.directory.ledger)
    try AuditScene.append(
      AuditScene.bodies(try LedgerFacts(other.directory).records)[..<30], to: place,
      at: try LedgerFacts(other.directory).records.map(\.at))
    let report = try? await audit(place, sinceLast: true)
    #expect(report?.passed != true)
  }
}
