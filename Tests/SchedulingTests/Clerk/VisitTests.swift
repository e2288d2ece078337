import CivilTime
import Evidence
import Ledger
import Scheduling
import TestSupport
import Testing

/// Which routes a visit asks, and what a round tells.
@Suite(.offThePool) struct VisitTests {
  private func office() async throws -> Office {
    let office = try await Office(at: "2026-11-20T06:00:00Z")
    try await office.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    return office
  }

  @Test func metMissionsAreNotAskedAgainThatDay() async throws {
    let office = try await office()
    office.api.answer(
      .init(.lastGift, "a"), with: try IdempotencyTests.gift(at: "2026-11-20T05:00:00Z"))
    try await office.visit("a")
    #expect(Set(office.api.asked.map(\.route)) == Set(Source.routes))
    try await office.visit("a")
    #expect(
      office.api.asked.dropFirst(3).map(\.route).sorted { $0.rawValue < $1.rawValue } == [
        .lastStream, .watchedStreams,
      ])
    // A new day asks anew.
    try office.set("2026-11-21T00:05:00Z")
    try await office.visit("a")
    #expect(office.api.asked.dropFirst(5).contains { $0.route == .lastGift })
  }

  @Test func failedLooksAreCountedAndLeaveTheDayUnknown() async throws {
    let office = try await office()
    for route in Source.routes {
      office.api.answerOnce(.init(route, "a"), with: .failed(.timedOut))
    }
    let round = try await office.visit("a")
    #expect([round.users, round.looks] == [1, 3])
    #expect(round.failures == [.timedOut: 3])
    #expect(round.tally == Tally())
    try office.set("2026-11-20T18:00:00Z")
    #expect(try await office.visit("a").failures == [:])
  }

  @Test func nobodyIsAskedBeforeTheFirstDayOrAfterLeaving() async throws {
    let office = try await office()
    try await office.hire(#"{"user":"b","timezone":"Etc/UTC","since":"2026-11-22"}"#)
    try await office.visit("b")
    #expect(try await office.clerk.remove(user: "a"))
    try await office.visit("a")
    #expect(office.api.asked == [])
    let policy = PollPolicy(
      everySeconds: 900, lastCallSeconds: 300, firstCallSeconds: 300, lagSeconds: 10,
      usersPerSecond: 50)
    let next = await office.clerk.nextLooks(for: 0..<2, by: policy, after: office.clock.now())
    // Who has left may come back: it is asked again after an interval whether somebody is to be looked at.
    let later = office.clock.now().adding(seconds: 900)
    #expect(next.map(\.due) == [later, try Office.instant("2026-11-22T00:00:00Z")])
  }

  @Test func looksOutliveARestartAndAStepBackwardsVoidsThem() async throws {
    let office = try await office()
    try office.set("2026-11-20T12:00:00Z")
    try await office.visit("a")
    let kept = await office.clerk.looksToKeep().entries
    await office.restart()
    #expect(await office.clerk.looksToKeep().entries == kept)
    #expect(kept.count == 3)
    let now = try Office.instant("2026-11-20T08:00:00Z")
    await office.clerk.voidLooks(after: now)
    let ends = await office.clerk.looksToKeep().entries.flatMap(\.history.coverage.intervals).map(
      \.to)
    #expect(ends == [now, now, now])
  }

  @Test func manyAreVisitedWithProgress() async throws {
    let office = try await Office(at: "2026-11-20T06:00:00Z")
    let lines = (0..<100).map { #"{"user":"u\#($0)","timezone":"Etc/UTC"}"# }
    try await office.hire(lines.joined(separator: "\n"))
    for number in 0..<100 {
      office.api.answer(
        .init(.lastGift, "u\(number)"),
        with: try IdempotencyTests.gift(at: "2026-11-20T05:00:00Z"))
    }
    let (steps, told) = AsyncStream.makeStream(of: Int.self)
    let round = try await office.visitor.visit(0..<100, width: 16) { told.yield($0) }
    told.finish()
    #expect([round.users, round.looks, round.tally.grants] == [100, 300, 200])
    #expect(await steps.reduce(into: []) { $0.append($1) } == Array(1...100))
    #expect(office.ledger.appends < 100)
    #expect(office.records.doubledKeys == [])
  }
}
