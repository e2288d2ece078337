import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// From polls and lines to verdicts, and from verdicts to what stands in the ledger.
@Suite(.offThePool) struct VerdictFlowTests {
  private func fixture(opening: String = "") async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"\#(opening)}"#)
    return fixture
  }

  @Test func missedDayBreaksTheStreakWithProof() async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let reports = try await fixture.closeAll()
    let closed = try #require(reports.first?.closed)
    #expect([closed.broken, closed.unknown, closed.counts.grants] == [1, 0, 0])
    let line = try #require(fixture.records.streaks.first)
    #expect(line.what == .broken)
    #expect([line.before.length, line.after.length] == [4, 0])
    #expect(Set(line.proof.map(\.source)) == Set(Source.routes + [.inbox]))
    for proof in line.proof {
      #expect(proof.through >= (try SchedulerFixture.instant("2026-11-21T00:00:00Z")))
    }
    #expect(await fixture.balance(of: "a")?.streak.length == 0)
    #expect(await fixture.balance(of: "a")?.streak.longest == 4)
  }

  /// Whichever source could not see, the day is held and the gaps are recorded.
  @Test(arguments: Source.routes + [.inbox]) func blindSourceHoldsTheDay(source: Source)
    async throws
  {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    if source != .inbox { await fixture.noteInbox() }
    let outcome = { (route: Source) in
      route == source ? Look.Outcome.failed(.serverError) : SchedulerFixture.nothing
    }
    try await fixture.look(
      at: "a", stream: outcome(.lastStream), watch: outcome(.watchedStreams),
      gift: outcome(.lastGift))
    try await fixture.closeAll()
    #expect(fixture.records.streaks.map(\.what) == [.held])
    let kinds = Set(fixture.records.unknowns.map(\.mission))
    // A login is no mission, but the streak needs it.
    #expect(kinds == Set(ActivityKind.allCases.filter { $0.source == source }))
    #expect(fixture.records.unknowns.allSatisfy { $0.day == Day(year: 2026, month: 11, day: 20) })
    let causes = Set(fixture.records.unknowns.flatMap(\.gaps).map(\.cause))
    #expect(causes == ["not looked"] || causes == ["server error"])
    #expect(await fixture.balance(of: "a")?.streak.length == 4)
    #expect(fixture.records.closes.first?.counts.held == 1)
  }

  /// Polls are not synced: after a crash an answer is held against what the ledger says that the route has told.
  @Test(arguments: [nil, "2026-11-19T12:00:00.000000001Z", "2026-11-20T06:10:00.000000001Z"])
  func anAnswerThatDeniesEvidenceProvesNothingThoughLooksAreLost(told: String?) async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    func gift(at instant: String) throws -> Look.Outcome {
      let at = try SchedulerFixture.instant(instant)
      return .answered([.told(.gift, from: at, to: at)], refused: [])
    }
    let seen = "2026-11-20T06:10:00.000000001Z"
    try fixture.set("2026-11-20T06:20:00Z")
    try await fixture.look(at: "a", gift: try gift(at: seen))
    fixture.looks.rewrite([], inboxThrough: nil)
    fixture.restart()
    try fixture.set("2026-11-22T00:30:00Z")
    await fixture.noteInbox()
    try await fixture.look(
      at: "a", gift: try told.map(gift) ?? SchedulerFixture.nothing)
    try await fixture.closeAll()
    // What agrees with it is believed as ever.
    #expect(fixture.records.streaks.map(\.what) == [told == seen ? .broken : .held])
  }

  @Test func userWithoutAStreakGetsNoLineForAMissedDay() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let before = fixture.records.count
    try await fixture.closeAll()
    #expect(fixture.records.count == before + 1)
    #expect(fixture.records.closes.first?.counts.missed == 1)
    #expect(fixture.records.closes.first?.counts.broken == 0)
  }

  @Test(arguments: [true, false]) func excusedDayHolds(isNamed: Bool) async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try fixture.ledger.append([
      .excuse(
        ExcuseRecord(
          from: day, to: day, users: isNamed ? ["a"] : nil, reason: "outage", actor: "op"))
    ])
    fixture.restart()
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(fixture.records.streaks.map(\.what) == [.excused])
    #expect(await fixture.balance(of: "a")?.streak.length == 4)
  }

  @Test func excuseOfOthersExcusesNobodyElse() async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try fixture.ledger.append([
      .excuse(ExcuseRecord(from: day, to: day, users: ["b"], reason: "outage", actor: "op"))
    ])
    fixture.restart()
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(fixture.records.streaks.map(\.what) == [.broken])
  }

  @Test func countedBeatsExcused() async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try fixture.ledger.append([
      .excuse(ExcuseRecord(from: day, to: day, reason: "outage", actor: "op"))
    ])
    fixture.restart()
    let receipt = try await fixture.inbox("a login 2026-11-20T05:00:00Z")
    #expect(receipt.records.grants.first?.streak == StreakMark(length: 5, cycleDay: 5))
  }

  /// Yesterday may still become counted or missed, so today's cycle day is not known.
  @Test(arguments: [true, false])
  func loginWaitsForYesterday(isYesterdayCounted: Bool) async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":2}"#)
    try fixture.set("2026-11-21T00:10:00Z")
    let early = try await fixture.inbox("a share 2026-11-21T00:05:00Z")
    #expect(early.records.grants.map(\.key) == ["a/2026-11-21/share"])
    if isYesterdayCounted { try await fixture.inbox("a login 2026-11-20T23:00:00Z") }
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let login = try #require(fixture.records.grants.first { $0.key == "a/2026-11-21/login" })
    #expect(login.streak?.cycleDay == (isYesterdayCounted ? 4 : 1))
    #expect(login.effective == (try SchedulerFixture.instant("2026-11-21T00:05:00Z")))
    #expect(fixture.records.doubledKeys == [])
    #expect(await fixture.balance(of: "a")?.streak.length == (isYesterdayCounted ? 4 : 1))
  }

  @Test func activityOverMidnightServesBothDaysWithOneLineEach() async throws {
    let fixture = try await fixture()
    let start = try SchedulerFixture.instant("2026-11-20T23:50:00Z")
    let live = Look.Outcome.answered([Activity.told(.stream, from: start, to: nil)], refused: [])
    for time in ["20T23:55:00", "20T23:58:00", "21T00:00:05", "21T00:00:20", "21T00:20:00"] {
      try fixture.set("2026-11-\(time)Z")
      try await fixture.look(at: "a", stream: live)
    }
    #expect(fixture.records.evidence.count == 2)
    let streams = fixture.records.grants.filter { $0.mission == "stream" }
    #expect(streams.map(\.key) == ["a/2026-11-20/stream", "a/2026-11-21/stream"])
    #expect(
      streams.map(\.effective) == [start, try SchedulerFixture.instant("2026-11-21T00:00:00Z")])
  }

  @Test func streamThatEndsAtMidnightDoesNotTouchTheNextDay() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-21T00:20:00Z")
    let stream = Activity.told(
      .stream, from: try SchedulerFixture.instant("2026-11-20T23:50:00Z"),
      to: try SchedulerFixture.instant("2026-11-21T00:00:00Z"))
    try await fixture.look(at: "a", stream: .answered([stream], refused: []))
    #expect(
      fixture.records.grants.filter { $0.mission == "stream" }.map(\.key) == ["a/2026-11-20/stream"]
    )
  }

  @Test func lyingAnswerIsReportedOnceAndProvesNothing() async throws {
    let fixture = try await fixture(opening: #","opening":{"streak":4}"#)
    try fixture.set("2026-11-21T00:05:00Z")
    let gift = try IdempotencyTests.gift(at: "2026-11-19T12:00:00Z")
    try await fixture.look(at: "a", gift: gift)
    let first = try await fixture.look(at: "a")
    #expect(first.records.refusals.map(\.what) == [.lyingAnswer])
    #expect(try await fixture.look(at: "a").records.isEmpty)
    #expect(fixture.records.refusals.count == 1)
  }

  @Test func endlessStreamIsBelievedForTwelveHoursAndReportedOnce() async throws {
    let fixture = try await fixture()
    let live = Look.Outcome.answered(
      [.told(.stream, from: try SchedulerFixture.instant("2026-11-20T13:00:00Z"), to: nil)],
      refused: [])
    for time in ["20T14:00:00", "21T00:59:00", "21T02:00:00", "21T03:00:00", "22T02:00:00"] {
      try fixture.set("2026-11-\(time)Z")
      try await fixture.look(at: "a", stream: live)
    }
    #expect(fixture.records.refusals.map(\.what) == [.badEvidence])
    let streams = fixture.records.grants.filter { $0.mission == "stream" }
    #expect(streams.map(\.key) == ["a/2026-11-20/stream", "a/2026-11-21/stream"])
  }

  @Test func unconfiguredSourceIsLeftOut() async throws {
    let kinds = KindSet(ActivityKind.allCases.filter { $0.source != .inbox })
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z", watched: kinds)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":4}}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.look(at: "a")
    try await fixture.closeAll()
    #expect(fixture.records.streaks.map(\.what) == [.broken])
    #expect(fixture.records.unknowns.isEmpty)
  }
}
