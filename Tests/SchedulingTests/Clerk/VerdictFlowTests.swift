import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// From looks and lines to verdicts, and from verdicts to what stands in the ledger.
@Suite(.offThePool) struct VerdictFlowTests {
  private func office(opening: String = "") async throws -> Office {
    let office = try await Office(at: "2026-11-20T06:00:00Z")
    try await office.hire(#"{"user":"a","timezone":"Etc/UTC"\#(opening)}"#)
    return office
  }

  @Test func missedDayBreaksTheStreakWithProof() async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    let reports = try await office.closeAll()
    let closed = try #require(reports.first?.closed)
    #expect([closed.broken, closed.unknown, closed.tally.grants] == [1, 0, 0])
    let line = try #require(office.records.streaks.first)
    #expect(line.what == .broken)
    #expect([line.before.length, line.after.length] == [4, 0])
    #expect(Set(line.proof.map(\.source)) == Set(Source.allCases))
    for proof in line.proof {
      #expect(proof.through >= (try Office.instant("2026-11-21T00:00:00Z")))
    }
    #expect(await office.balance(of: "a")?.streak.length == 0)
    #expect(await office.balance(of: "a")?.streak.longest == 4)
  }

  /// Whichever source could not see, the day is held and the gaps are recorded.
  @Test(arguments: Source.allCases) func blindSourceHoldsTheDay(source: Source) async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    try office.set("2026-11-21T00:30:00Z")
    if source != .inbox { await office.noteInbox() }
    let outcome = { (route: Source) in
      route == source ? LookOutcome.failed(.serverError) : Office.nothing
    }
    try await office.look(
      at: "a", stream: outcome(.lastStream), watch: outcome(.watchedStreams),
      gift: outcome(.lastGift))
    try await office.closeAll()
    #expect(office.records.streaks.map(\.what) == [.held])
    let kinds = Set(office.records.unknowns.map(\.mission))
    let missions = ActivityKind.allCases.filter { $0.source == source && $0 != .login }
    #expect(kinds == Set(missions))
    #expect(office.records.unknowns.allSatisfy { $0.day == Day(year: 2026, month: 11, day: 20) })
    let causes = Set(office.records.unknowns.flatMap(\.gaps).map(\.cause))
    #expect(causes == ["not looked"] || causes == ["server error"])
    #expect(await office.balance(of: "a")?.streak.length == 4)
    #expect(office.records.closes.first?.counts.held == 1)
  }

  @Test func userWithoutAStreakGetsNoLineForAMissedDay() async throws {
    let office = try await office()
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    let before = office.records.count
    try await office.closeAll()
    #expect(office.records.count == before + 1)
    #expect(office.records.closes.first?.counts.missed == 1)
    #expect(office.records.closes.first?.counts.broken == 0)
  }

  @Test(arguments: [true, false]) func excusedDayHolds(isNamed: Bool) async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try await office.ledger.append([
      .excuse(
        ExcuseRecord(
          from: day, to: day, users: isNamed ? ["a"] : nil, reason: "outage", actor: "op"))
    ])
    await office.restart()
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    try await office.closeAll()
    #expect(office.records.streaks.map(\.what) == [.excused])
    #expect(await office.balance(of: "a")?.streak.length == 4)
  }

  @Test func excuseOfOthersExcusesNobodyElse() async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try await office.ledger.append([
      .excuse(ExcuseRecord(from: day, to: day, users: ["b"], reason: "outage", actor: "op"))
    ])
    await office.restart()
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    try await office.closeAll()
    #expect(office.records.streaks.map(\.what) == [.broken])
  }

  @Test func countedBeatsExcused() async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    _ = try await office.ledger.append([
      .excuse(ExcuseRecord(from: day, to: day, reason: "outage", actor: "op"))
    ])
    await office.restart()
    let receipt = try await office.inbox("a login 2026-11-20T05:00:00Z")
    #expect(receipt.records.grants.first?.streak == StreakMark(length: 5, cycleDay: 5))
  }

  /// Yesterday may still become counted or missed, so today's cycle day is not known.
  @Test(arguments: [true, false])
  func loginWaitsForYesterday(isYesterdayCounted: Bool) async throws {
    let office = try await office(opening: #","opening":{"streak":2}"#)
    try office.set("2026-11-21T00:10:00Z")
    let early = try await office.inbox("a share 2026-11-21T00:05:00Z")
    #expect(early.records.grants.map(\.key) == ["a/2026-11-21/share"])
    if isYesterdayCounted { try await office.inbox("a login 2026-11-20T23:00:00Z") }
    try office.set("2026-11-21T00:30:00Z")
    try await office.seeNothing()
    try await office.closeAll()
    let login = try #require(office.records.grants.first { $0.key == "a/2026-11-21/login" })
    #expect(login.streak?.cycleDay == (isYesterdayCounted ? 4 : 1))
    #expect(login.effective == (try Office.instant("2026-11-21T00:05:00Z")))
    #expect(office.records.doubledKeys == [])
    #expect(await office.balance(of: "a")?.streak.length == (isYesterdayCounted ? 4 : 1))
  }

  @Test func activityOverMidnightServesBothDaysWithOneLineEach() async throws {
    let office = try await office()
    let start = try Office.instant("2026-11-20T23:50:00Z")
    let live = LookOutcome.answered([ReportedActivity(from: start, to: nil)], refused: [])
    for time in ["20T23:55:00", "20T23:58:00", "21T00:00:05", "21T00:00:20", "21T00:20:00"] {
      try office.set("2026-11-\(time)Z")
      try await office.look(at: "a", stream: live)
    }
    #expect(office.records.evidence.count == 2)
    let streams = office.records.grants.filter { $0.mission == "stream" }
    #expect(streams.map(\.key) == ["a/2026-11-20/stream", "a/2026-11-21/stream"])
    #expect(streams.map(\.effective) == [start, try Office.instant("2026-11-21T00:00:00Z")])
  }

  @Test func streamThatEndsAtMidnightDoesNotTouchTheNextDay() async throws {
    let office = try await office()
    try office.set("2026-11-21T00:20:00Z")
    let stream = ReportedActivity(
      from: try Office.instant("2026-11-20T23:50:00Z"),
      to: try Office.instant("2026-11-21T00:00:00Z"))
    try await office.look(at: "a", stream: .answered([stream], refused: []))
    #expect(
      office.records.grants.filter { $0.mission == "stream" }.map(\.key) == ["a/2026-11-20/stream"])
  }

  @Test func lyingAnswerIsReportedOnceAndProvesNothing() async throws {
    let office = try await office(opening: #","opening":{"streak":4}"#)
    try office.set("2026-11-21T00:05:00Z")
    let gift = try IdempotencyTests.gift(at: "2026-11-19T12:00:00Z")
    try await office.look(at: "a", gift: gift)
    let first = try await office.look(at: "a")
    #expect(first.records.refusals.map(\.what) == [.lyingAnswer])
    #expect(try await office.look(at: "a").records.isEmpty)
    #expect(office.records.refusals.count == 1)
  }

  @Test func endlessStreamIsBelievedForTwelveHoursAndReportedOnce() async throws {
    let office = try await office()
    let live = LookOutcome.answered(
      [ReportedActivity(from: try Office.instant("2026-11-20T13:00:00Z"), to: nil)], refused: [])
    for time in ["20T14:00:00", "21T00:59:00", "21T02:00:00", "21T03:00:00", "22T02:00:00"] {
      try office.set("2026-11-\(time)Z")
      try await office.look(at: "a", stream: live)
    }
    #expect(office.records.refusals.map(\.what) == [.badEvidence])
    let streams = office.records.grants.filter { $0.mission == "stream" }
    #expect(streams.map(\.key) == ["a/2026-11-20/stream", "a/2026-11-21/stream"])
  }

  @Test func unconfiguredSourceIsLeftOut() async throws {
    let kinds = KindSet(ActivityKind.allCases.filter { $0.source != .inbox })
    let office = try await Office(at: "2026-11-20T06:00:00Z", watched: kinds)
    try await office.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":4}}"#)
    try office.set("2026-11-21T00:30:00Z")
    try await office.look(at: "a")
    try await office.closeAll()
    #expect(office.records.streaks.map(\.what) == [.broken])
    #expect(office.records.unknowns.isEmpty)
  }
}
