import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Which routes a visit asks, and what a round tells.
@Suite(.offThePool) struct VisitTests {
  private func fixture() async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    return fixture
  }

  @Test func metMissionsAreNotAskedAgainThatDay() async throws {
    let fixture = try await fixture()
    fixture.api.answer(
      .init(.lastGift, "a"), with: try IdempotencyTests.gift(at: "2026-11-20T05:00:00Z"))
    try await fixture.visit("a")
    #expect(Set(fixture.api.asked.map(\.route)) == Set(Source.routes))
    try await fixture.visit("a")
    #expect(
      fixture.api.asked.dropFirst(3).map(\.route).sorted { $0.rawValue < $1.rawValue } == [
        .lastStream, .watchedStreams,
      ])
    // A new day asks anew.
    try fixture.set("2026-11-21T00:05:00Z")
    try await fixture.visit("a")
    #expect(fixture.api.asked.dropFirst(5).contains { $0.route == .lastGift })
  }

  @Test func aMissionThatMustLastIsAskedForUntilItHas() async throws {
    let text = RulesDocument.builtInText
      .replacing(#""stream": {"#, with: #""stream": {"minMinutes": 30, "#)
    let fixture = try await SchedulerFixture(
      at: "2026-11-20T06:00:00Z", rules: RulesDocument.parse(Array(text.utf8)).get())
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let start = try SchedulerFixture.instant("2026-11-20T05:50:00Z")
    let live = Activity.told(.stream, from: start, to: nil)
    fixture.api.answer(.init(.lastStream, "a"), with: .answered([live], refused: []))
    for (now, lines) in [
      ("2026-11-20T06:00:00Z", 1), ("2026-11-20T06:10:00Z", 2), ("2026-11-20T06:20:10Z", 3),
      ("2026-11-20T06:30:00Z", 3),
    ] {
      try fixture.set(now)
      try await fixture.visit("a")
      let evidence = fixture.records.filter { if case .evidence = $0.body { true } else { false } }
      #expect(evidence.count == lines, "\(now)")
    }
    #expect(fixture.api.asked.count { $0.route == .lastStream } == 3)
    let grants = fixture.records.compactMap { record -> GrantRecord? in
      if case .grant(let grant) = record.body { grant } else { nil }
    }
    #expect(grants.map(\.mission) == ["login", "stream"])
    #expect(grants.map(\.effective) == [start, start.adding(seconds: 1_800)])
  }

  @Test func failedLooksAreCountedAndLeaveTheDayUnknown() async throws {
    let fixture = try await fixture()
    for route in Source.routes {
      fixture.api.answerOnce(.init(route, "a"), with: .failed(.timedOut))
    }
    let round = try await fixture.visit("a")
    #expect([round.users, round.looks] == [1, 3])
    #expect(round.failures == [.timedOut: 3])
    #expect(round.counts == AppendCounts())
    try fixture.set("2026-11-20T18:00:00Z")
    #expect(try await fixture.visit("a").failures == [:])
  }

  @Test func nobodyIsAskedBeforeTheFirstDayOrAfterLeaving() async throws {
    let fixture = try await fixture()
    try await fixture.hire(#"{"user":"b","timezone":"Etc/UTC","since":"2026-11-22"}"#)
    try await fixture.visit("b")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try await fixture.visit("a")
    #expect(fixture.api.asked == [])
    let planner = LookPlanner(
      PollPolicy(
        everySeconds: 900, lastCallSeconds: 300, firstCallSeconds: 300, lagSeconds: 10,
        usersPerSecond: 50), plan: .habits)
    let next = await planner.nextLooks(at: 0..<2, by: fixture.writer, after: fixture.clock.now())
    // Who has left may come back: after an interval it is asked again whether to poll them.
    let later = fixture.clock.now().adding(seconds: 900)
    #expect(next.map(\.look.due) == [later, try SchedulerFixture.instant("2026-11-22T00:00:00Z")])
  }

  @Test func looksOutliveARestartAndAStepBackwardsVoidsThem() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-20T12:00:00Z")
    try await fixture.visit("a")
    let kept = await LookMemory(fixture.writer).all().entries
    fixture.restart()
    #expect(await LookMemory(fixture.writer).all().entries == kept)
    #expect(kept.count == 3)
    let now = try SchedulerFixture.instant("2026-11-20T08:00:00Z")
    await LookMemory(fixture.writer).void(after: now)
    // Nobody knows what of it was proved before.
    #expect(
      await LookMemory(fixture.writer).all().entries.allSatisfy {
        $0.history.coverage == Coverage()
      })
  }

  @Test func manyAreVisitedWithProgress() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    let lines = (0..<100).map { #"{"user":"u\#($0)","timezone":"Etc/UTC"}"# }
    try await fixture.hire(lines.joined(separator: "\n"))
    for number in 0..<100 {
      fixture.api.answer(
        .init(.lastGift, "u\(number)"),
        with: try IdempotencyTests.gift(at: "2026-11-20T05:00:00Z"))
    }
    let (steps, told) = AsyncStream.makeStream(of: Int.self)
    let round = try await fixture.poller.poll(0..<100, width: 16) { told.yield($0) }
    told.finish()
    #expect([round.users, round.looks, round.counts.grants] == [100, 300, 200])
    #expect(await steps.reduce(into: []) { $0.append($1) } == Array(1...100))
    #expect(fixture.ledger.appends < 100)
    #expect(fixture.records.doubledKeys == [])
  }
}
