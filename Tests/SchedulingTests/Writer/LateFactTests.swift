import CivilTime
import Engine
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// An earlier fact that arrives late changes what later facts gave; after the close it changes nothing.
@Suite(.offThePool) struct LateFactTests {
  @Test func levelRewardOutlivesAnEarlierFactThatLiftsTheLevelTheDayBefore() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"exp":110}}"#)
    try await fixture.inbox("a purchase 2026-11-20T05:00:00Z")
    // 110 + 50 + 25, and the next morning 15 more: level 2.
    try fixture.set("2026-11-21T00:10:00Z")
    let lifted = try await fixture.inbox("a follow 2026-11-21T00:05:00Z")
    #expect(lifted.records.grants.contains { $0.key == "a/level/2" })
    // What the day before still lacked would have lifted the level there.
    let late = try await fixture.inbox(
      "a share 2026-11-20T20:00:00Z", "a comment 2026-11-20T21:00:00Z")
    #expect(late.records.grants.map(\.key) == ["a/2026-11-20/share", "a/2026-11-20/comment"])
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(await fixture.missingCount() == 0)
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(fixture.records.net["a/level/2"]?.items == ["levelLabel/levelLabel"])
    #expect(await fixture.balance(of: "a")?.items.contains("levelLabel/levelLabel") == true)
  }

  @Test func earlierActivityMovesTheBoosterAndDoublesWhatCameAfterIt() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":5}}"#)
    try await fixture.inbox("a follow 2026-11-20T04:00:00Z", "a login 2026-11-20T05:00:00Z")
    // The first activity makes the sixth day: its booster acts on what comes after it only.
    let login = "a/2026-11-20/login"
    let follow = "a/2026-11-20/follow"
    #expect(
      fixture.records.net[login]?.booster?.from
        == (try SchedulerFixture.instant("2026-11-20T04:00:00Z")))
    #expect(fixture.records.net[follow]?.exp == 30)

    let late = try await fixture.inbox("a comment 2026-11-20T03:00:00Z")
    #expect(late.records.grants.map(\.key).sorted() == ["a/2026-11-20/comment", "\(login)#1"])
    #expect(
      fixture.records.net[login]?.booster?.from
        == (try SchedulerFixture.instant("2026-11-20T03:00:00Z")))
    #expect(
      await fixture.balance(of: "a")?.boosterUntil
        == (try SchedulerFixture.instant("2026-11-21T03:00:00Z")))

    // Before the booster: a gift that was thought to come after its beginning.
    #expect(fixture.records.net["a/2026-11-20/comment"]?.exp == 10)
    #expect(await fixture.missingCount() == 0)
  }

  @Test func adjustmentTakesTheDoublingBack() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":5}}"#)
    try await fixture.inbox("a login 2026-11-20T02:00:00Z")
    try fixture.set("2026-11-21T02:00:00Z")
    try await fixture.inbox("a share 2026-11-21T01:30:00Z")
    #expect(fixture.records.net["a/2026-11-21/share"]?.exp == 20)
    // An earlier first activity ends the booster before the share.
    try await fixture.inbox("a comment 2026-11-20T01:00:00Z")
    #expect(fixture.records.net["a/2026-11-21/share"]?.exp == 10)
    let adjustment = try #require(fixture.records.grants.first { $0.key == "a/2026-11-21/share#1" })
    #expect([adjustment.reward.points, adjustment.reward.exp] == [0, -10])
    #expect(await fixture.missingCount() == 0)
    fixture.restart()
    #expect(await fixture.missingCount() == 0)
  }

  @Test func evidenceOfAClosedDayIsRecordedOnceAndNotGranted() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let receipt = try await fixture.inbox("a follow 2026-11-20T12:00:00Z")
    #expect(receipt.lateFacts == 1)
    #expect(receipt.records.evidence.count == 1)
    #expect(receipt.records.grants.isEmpty)
    let again = try await fixture.inbox("a follow 2026-11-20T12:00:00Z")
    #expect(again.records.isEmpty)
    fixture.restart()
    #expect(try await fixture.inbox("a follow 2026-11-20T12:00:00Z").records.isEmpty)
    #expect(await fixture.balance(of: "a")?.points == 0)
  }

  @Test func evidenceFromBeforeTheFirstJudgedDayIsNotRecorded() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let receipt = try await fixture.inbox("a follow 2026-11-19T12:00:00Z")
    #expect(receipt.records.isEmpty)
    #expect(receipt.rejected.isEmpty)
  }

  /// A stream over midnight that nobody saw before its first day was closed.
  @Test func activityOverAClosedMidnightIsRecordedOnce() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    await fixture.noteInbox()
    try await fixture.closeAll()
    let watches = Look.Outcome.answered(
      [
        Activity(
          kind: .watch,
          from: try SchedulerFixture.instant("2026-11-20T23:00:00Z"),
          to: try SchedulerFixture.instant("2026-11-21T00:10:00Z")),
        Activity(
          kind: .watch,
          from: try SchedulerFixture.instant("2026-11-20T23:30:00Z"),
          to: try SchedulerFixture.instant("2026-11-21T00:20:00Z")),
      ], refused: [])
    try await fixture.look(at: "a", watch: watches)
    let seen = fixture.records.evidence.count
    #expect(seen <= 2)
    #expect(fixture.records.net["a/2026-11-21/watch"]?.points == 15)
    for minute in 31...35 {
      try fixture.set("2026-11-21T00:\(minute):00Z")
      try await fixture.look(at: "a", watch: watches)
    }
    #expect(fixture.records.evidence.count == seen)
    try fixture.set("2026-11-22T00:10:00Z")
    try await fixture.look(at: "a", watch: watches)
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.closeAll()
    try await fixture.look(at: "a", watch: watches)
    #expect(fixture.records.evidence.count == seen)
  }

  /// With `starts`, a stream that only reaches into a closed day is nothing to it, and hides no stream that began
  /// there.
  @Test func streamThatReachesIntoAClosedDayHidesNoneOfThatDay() async throws {
    let rules = #"{"version":"s","effectiveFrom":"2024-01-01","activity":{"counts":"starts"}}"#
    let fixture = try await SchedulerFixture(
      at: "2026-11-01T06:00:00Z", rules: try RulesDocument.parse(Array(rules.utf8)).get())
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await close(fixture, at: "2026-11-02T00:15:00Z")
    try fixture.set("2026-11-02T00:30:00Z")
    try await fixture.look(
      at: "a", stream: try stream(from: "2026-11-01T23:00:00Z", to: "2026-11-02T00:20:00Z"))
    try await close(fixture, at: "2026-11-03T00:15:00Z", streamed: false)
    try fixture.set("2026-11-03T02:00:00Z")
    let receipt = try await fixture.look(
      at: "a", stream: try stream(from: "2026-11-02T15:00:00Z", to: "2026-11-02T16:00:00Z"))
    #expect(receipt.records.evidence.count == 1)
    try await fixture.backfill(plan: "p", clawsBack: false)
    #expect(fixture.records.net["a/2026-11-01/stream"]?.points == 30)
    #expect(fixture.records.net["a/2026-11-02/stream"]?.points == 30)
    #expect(await fixture.plans(plan: "q", clawsBack: true).flatMap(\.records) == [])
  }

  /// A stream is believed for 12 hours while it has no end; its real end is told two days later.
  @Test func realEndOfALongStreamCountsForEveryDayThatItReaches() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await close(fixture, at: "2026-11-21T00:15:00Z", streamed: false)
    try await close(fixture, at: "2026-11-22T00:15:00Z", streamed: false)
    try fixture.set("2026-11-22T08:00:00Z")
    let start = try SchedulerFixture.instant("2026-11-20T08:00:00Z")
    try await fixture.look(
      at: "a",
      stream: .answered([.told(.stream, from: start, to: nil)], refused: []))
    #expect(fixture.records.evidence.count == 1)
    try fixture.set("2026-11-22T09:00:00Z")
    let receipt = try await fixture.look(
      at: "a", stream: try stream(from: "2026-11-20T08:00:00Z", to: "2026-11-22T08:30:00Z"))
    #expect(receipt.records.evidence.count == 1)
    #expect(fixture.records.net["a/2026-11-22/stream"]?.points == 30)
    try await fixture.backfill(plan: "p", clawsBack: false)
    #expect(fixture.records.net["a/2026-11-20/stream"]?.points == 30)
    #expect(fixture.records.net["a/2026-11-21/stream"]?.points == 30)
    #expect(await fixture.missingCount() == 0)
    #expect(await fixture.plans(plan: "q", clawsBack: true).flatMap(\.records) == [])
  }

  /// An activity over midnight that is told when its first day, or both, are closed, waits for a backfill on those.
  @Test(arguments: [("2026-11-21T00:30:00Z", 1), ("2026-11-22T00:30:00Z", 2)])
  func activityOverMidnightWaitsOnTheDaysThatAreClosed(told: String, waiting: Int) async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await close(fixture, at: "2026-11-21T00:15:00Z")
    if waiting == 2 { try await close(fixture, at: "2026-11-22T00:15:00Z") }
    try fixture.set(told)
    try await fixture.look(
      at: "a", stream: try stream(from: "2026-11-20T23:00:00Z", to: "2026-11-21T00:20:00Z"))
    let days = await fixture.timelines.map {
      PastReview($0, now: fixture.clock.now()).waitingDays.count
    }
    #expect(days == [waiting])
    try await fixture.backfill(plan: "p", clawsBack: false)
    #expect(fixture.records.net["a/2026-11-20/stream"]?.points == 30)
    #expect(fixture.records.net["a/2026-11-21/stream"]?.points == 30)
    #expect(
      await fixture.timelines.map { PastReview($0, now: fixture.clock.now()).waitingDays.count }
        == [0])
  }

  private func stream(from: String, to: String) throws -> Look.Outcome {
    .answered(
      [
        Activity(
          kind: .stream, from: try SchedulerFixture.instant(from),
          to: try SchedulerFixture.instant(to))
      ], refused: [])
  }

  /// Closes what is due at an instant; without a poll at 603 unless `streamed`.
  private func close(
    _ fixture: SchedulerFixture, at instant: String, streamed: Bool = true
  ) async throws {
    try fixture.set(instant)
    if streamed { try await fixture.seeNothing() } else { await fixture.noteInbox() }
    try await fixture.closeAll()
  }
}
