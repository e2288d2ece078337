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
  private func office() async throws -> Office {
    let office = try await Office(at: "2026-11-20T06:00:00Z")
    try await office.hire(
      #"{"user":"a","timezone":"Etc/UTC"}"#, #"{"user":"b","timezone":"Etc/UTC"}"#)
    return office
  }

  @Test func takingTheSameLinesTwiceAddsNothing() async throws {
    let office = try await office()
    let lines = ["a login \(Self.day)T05:00:00Z", "b share \(Self.day)T05:30:00Z"]
    let first = try await office.inbox(lines[0], lines[1], lines[0])
    #expect(first.records.evidence.count == 2)
    let keys = first.records.grants.map(\.key)
    #expect(keys == ["a/\(Self.day)/login", "b/\(Self.day)/login", "b/\(Self.day)/share"])
    let second = try await office.inbox(lines[0], lines[1])
    #expect(second.records.isEmpty)
    #expect(await office.missingCount() == 0)
  }

  @Test func visitingTwiceAddsNothing() async throws {
    let office = try await office()
    let gift = ReportedActivity(
      from: try Office.instant("\(Self.day)T04:00:00Z"),
      to: try Office.instant("\(Self.day)T04:00:00Z"))
    office.api.answer(.init(.lastGift, "a"), with: .answered([gift], refused: []))
    #expect(try await office.visit("a").tally.grants == 2)
    let before = office.records.count
    try await office.look(at: "a", gift: .answered([gift], refused: []))
    #expect(try await office.visit("a").tally == Tally())
    #expect(office.records.count == before)
  }

  @Test func concurrentVisitsOfOneUserGrantOnce() async throws {
    let office = try await office()
    let gift = ReportedActivity(
      from: try Office.instant("\(Self.day)T04:00:00Z"),
      to: try Office.instant("\(Self.day)T04:00:00Z"))
    office.api.answer(.init(.lastGift, "a"), with: .answered([gift], refused: []))
    office.api.answer(.init(.lastGift, "b"), with: .answered([gift], refused: []))
    let round = try await office.visitor.visit([0, 1, 0, 1, 0, 1, 0, 1, 0, 0], width: 8)
    #expect(round.users == 10)
    #expect(round.tally.grants == 4)
    #expect(office.records.doubledKeys == [])
    #expect(office.records.evidence.count == 2)
  }

  @Test func refusedAppendLeavesTheDeskAsItWas() async throws {
    let office = try await office()
    let before = BookSnapshot.write(await office.clerk.snapshot().book)
    office.ledger.refuse(after: 0)
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await office.inbox("a login \(Self.day)T05:00:00Z")
    }
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await office.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    }
    #expect(BookSnapshot.write(await office.clerk.snapshot().book) == before)
    #expect(await office.clerk.looksToKeep().entries == [])
    #expect(office.looks.entries == [])
    office.ledger.heal()
    let receipt = try await office.inbox("a login \(Self.day)T05:00:00Z")
    #expect(receipt.records.grants.map(\.key) == ["a/\(Self.day)/login"])
    try await office.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    #expect(office.records.net["a/\(Self.day)/gift"]?.points == 20)
    #expect(office.records.doubledKeys == [])
  }

  @Test func oneRefusedVisitDoesNotHarmItsNeighbours() async throws {
    let office = try await office()
    office.ledger.refuse(after: 0)
    await #expect(throws: FlakyLedger.DiskFull.self) {
      try await office.look(at: "a", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    }
    office.ledger.heal()
    let receipt = try await office.look(at: "b", gift: Self.gift(at: "\(Self.day)T04:00:00Z"))
    #expect(receipt.records.grants.count == 2)
  }

  static func gift(at text: String) throws -> LookOutcome {
    let instant = try Office.instant(text)
    return .answered([ReportedActivity(from: instant, to: instant)], refused: [])
  }

  @Test func closingTwiceAddsNothing() async throws {
    let office = try await office()
    try await office.inbox("a login \(Self.day)T05:00:00Z")
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    let reports = try await office.closeAll()
    #expect(reports.count == 1)
    let before = office.records.count
    #expect(try await office.closeAll().isEmpty)
    #expect(office.records.count == before)
    #expect(await office.missingCount() == 0)
  }

  /// Users enough for two batches of a close: each has a held streak and seven unknown missions.
  @Test func interruptedCloseWritesEachLineOnce() async throws {
    let count = 3_000
    let office = try await Office(at: "2026-11-20T06:00:00Z")
    let lines = (0..<count).map {
      #"{"user":"u\#($0)","timezone":"Etc/UTC","opening":{"streak":3}}"#
    }
    try await office.hire(lines.joined(separator: "\n"))
    try office.set("2026-11-21T00:30:00Z")
    office.ledger.refuse(after: 1)
    await #expect(throws: FlakyLedger.DiskFull.self) { try await office.closeAll() }
    let written = office.records.streaks.count
    #expect(written > 0 && written < count)
    #expect(office.records.closes.isEmpty)

    office.ledger.heal()
    await office.restart()
    try await office.closeAll()
    #expect(Set(office.records.streaks.map(\.user)).count == count)
    #expect(office.records.streaks.count == count)
    #expect(office.records.unknowns.count == 7 * count)
    let close = try #require(office.records.closes.first)
    #expect(office.records.closes.count == 1)
    #expect([close.users, close.counts.held, close.counts.broken] == [count, count, 0])
    #expect(await office.missingCount() == 0)
    #expect(try await office.account("u7").state.streak.length == 3)
  }
}
