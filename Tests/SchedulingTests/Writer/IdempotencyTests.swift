import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Whatever is done twice, at once, or after a failure adds nothing.
@Suite(.offThePool) struct IdempotencyTests {
  private static let day = "2026-11-20"

  /// Two users in UTC, on the evening before the judged day.
  private func fixture() async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC"}"#, #"{"user":"b","timezone":"Etc/UTC"}"#)
    return fixture
  }

  @Test func takingTheSameLinesTwiceAddsNothing() async throws {
    let fixture = try await fixture()
    let lines = ["a login \(Self.day)T05:00:00Z", "b share \(Self.day)T05:30:00Z"]
    let first = try await fixture.inbox(lines[0], lines[1], lines[0])
    #expect(first.records.evidence.count == 2)
    let keys = first.records.grants.map(\.key)
    #expect(keys == ["a/\(Self.day)/login", "b/\(Self.day)/login", "b/\(Self.day)/share"])
    let second = try await fixture.inbox(lines[0], lines[1])
    #expect(second.records.isEmpty)
    #expect(await fixture.missingCount() == 0)
  }

  @Test func visitingTwiceAddsNothing() async throws {
    let fixture = try await fixture()
    let gift = Activity(
      kind: .gift,
      from: try SchedulerFixture.instant("\(Self.day)T04:00:00Z"),
      to: try SchedulerFixture.instant("\(Self.day)T04:00:00Z"))
    fixture.api.answer(.init(.lastGift, "a"), with: .answered([gift], refused: []))
    #expect(try await fixture.visit("a").counts.grants == 2)
    let before = fixture.records.count
    try await fixture.look(at: "a", gift: .answered([gift], refused: []))
    #expect(try await fixture.visit("a").counts == AppendCounts())
    #expect(fixture.records.count == before)
  }

  @Test func concurrentVisitsOfOneUserGrantOnce() async throws {
    let fixture = try await fixture()
    let gift = Activity(
      kind: .gift,
      from: try SchedulerFixture.instant("\(Self.day)T04:00:00Z"),
      to: try SchedulerFixture.instant("\(Self.day)T04:00:00Z"))
    fixture.api.answer(.init(.lastGift, "a"), with: .answered([gift], refused: []))
    fixture.api.answer(.init(.lastGift, "b"), with: .answered([gift], refused: []))
    let round = try await fixture.poller.poll([0, 1, 0, 1, 0, 1, 0, 1, 0, 0], width: 8)
    #expect(round.users == 10)
    #expect(round.counts.grants == 4)
    #expect(fixture.records.doubledKeys == [])
    #expect(fixture.records.evidence.count == 2)
  }

  @Test func refusedAppendLeavesTheDeskAsItWas() async throws {
    let fixture = try await fixture()
    let before = try StateSnapshot.write(await fixture.writer.snapshot().state)
    fixture.ledger.refuse(after: 0)
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await fixture.inbox("a login \(Self.day)T05:00:00Z")
    }
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await fixture.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    }
    #expect(try StateSnapshot.write(await fixture.writer.snapshot().state) == before)
    #expect(await LookMemory(fixture.writer).all().entries == [])
    #expect(fixture.looks.entries == [])
    fixture.ledger.heal()
    let receipt = try await fixture.inbox("a login \(Self.day)T05:00:00Z")
    #expect(receipt.records.grants.map(\.key) == ["a/\(Self.day)/login"])
    try await fixture.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    #expect(fixture.records.net["a/\(Self.day)/gift"]?.points == 20)
    #expect(fixture.records.doubledKeys == [])
  }

  @Test func oneRefusedVisitDoesNotHarmItsNeighbours() async throws {
    let fixture = try await fixture()
    fixture.ledger.refuse(after: 0)
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await fixture.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    }
    fixture.ledger.heal()
    let receipt = try await fixture.look(at: "b", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    #expect(receipt.records.grants.count == 2)
  }

  static func gift(at text: String) throws -> Look.Outcome {
    let instant = try SchedulerFixture.instant(text)
    return .answered(
      [
        Activity(
          kind: .gift, from: instant, to: instant)
      ], refused: [])
  }

  @Test func closingTwiceAddsNothing() async throws {
    let fixture = try await fixture()
    try await fixture.inbox("a login \(Self.day)T05:00:00Z")
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let reports = try await fixture.closeAll()
    #expect(reports.count == 1)
    let before = fixture.records.count
    #expect(try await fixture.closeAll().isEmpty)
    #expect(fixture.records.count == before)
    #expect(await fixture.missingCount() == 0)
  }

  /// Users enough for two batches of a close: each has a held streak and seven unknown missions.
  @Test func interruptedCloseWritesEachLineOnce() async throws {
    let count = 3_000
    let fixture = try await SchedulerFixture.crowd(of: count)
    try fixture.set("2026-11-21T00:30:00Z")
    fixture.ledger.refuse(after: 1)
    await #expect(throws: FlakyLedger.DiskFull.self) { try await fixture.closeAll() }
    let written = fixture.records.streaks.count
    #expect(written > 0 && written < count)
    #expect(fixture.records.closes.isEmpty)

    fixture.ledger.heal()
    fixture.restart()
    try await fixture.closeAll()
    #expect(Set(fixture.records.streaks.map(\.user)).count == count)
    #expect(fixture.records.streaks.count == count)
    #expect(fixture.records.unknowns.count == 8 * count)
    let close = try #require(fixture.records.closes.first)
    #expect(fixture.records.closes.count == 1)
    #expect([close.users, close.counts.held, close.counts.broken] == [count, count, 0])
    #expect(await fixture.missingCount() == 0)
    #expect(try await fixture.account("u7").state.streak.length == 3)
  }
}
