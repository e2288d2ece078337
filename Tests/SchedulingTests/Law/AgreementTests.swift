import CivilTime
import Engine
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What was said of a day while it was open or closed is what its past says of it: a backfill has nothing to do.
@Suite(.offThePool) struct AgreementTests {
  private func hasNothingToDo(_ fixture: SchedulerFixture) async -> Bool {
    let plans = await fixture.plans(plan: "q", clawsBack: true)
    let missing = await fixture.missingCount()
    return plans.allSatisfy(\.records.isEmpty) && missing == 0
  }

  private func move(_ fixture: SchedulerFixture, to zone: String) async throws {
    try await fixture.hire(#"{"user":"a","timezone":"\#(zone)"}"#)
  }

  /// Some users' lines are written, and then the inbox proves what nobody knew: no line is contradicted by the next
  /// one.
  @Test func whatAnInterruptedCloseSaidIsUnknownStaysSo() async throws {
    let count = 4_000
    let fixture = try await SchedulerFixture.crowd(of: count)
    try fixture.set("2026-11-21T00:30:00Z")
    for user in 0..<count { try await fixture.look(at: "u\(user)") }
    fixture.ledger.refuse(after: 1)
    await #expect(throws: FlakyLedger.DiskFull.self) { try await fixture.closeAll() }
    let told = Set(fixture.records.streaks.map(\.user))
    #expect(!told.isEmpty && told.count < count)
    fixture.ledger.heal()
    fixture.restart()
    await fixture.noteInbox()
    try await fixture.closeAll()
    #expect(fixture.records.streaks.count == count)
    let held = fixture.records.streaks.filter { $0.what == .held }
    #expect(Set(held.map(\.user)) == told)
    let close = try #require(fixture.records.closes.first)
    #expect([close.counts.held, close.counts.broken] == [told.count, count - told.count])
    #expect(await hasNothingToDo(fixture))
  }

  /// The move makes a day of 43 hours, and 38 of them have passed when the user leaves: a day of leaving is held all
  /// the same.
  @Test func anExtendedDayThatALeavingCutsIsHeldByAll() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-01T15:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Asia/Tokyo","opening":{"streak":2}}"#)
    try fixture.set("2026-11-02T16:00:00Z")
    try await fixture.inbox("a login 2026-11-02T04:00:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    try fixture.set("2026-11-03T03:00:00Z")
    try await move(fixture, to: "Pacific/Honolulu")
    try fixture.set("2026-11-04T05:00:00Z")
    try await fixture.seeNothing()
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try fixture.set("2026-11-04T20:00:00Z")
    try await move(fixture, to: "Pacific/Honolulu")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(fixture.records.streaks.last?.what == .held)
    #expect(await fixture.balance(of: "a")?.streak.length == 3)
    #expect(await hasNothingToDo(fixture))
  }

  /// The day is closed by the user's own line alone.
  @Test func whoLeavesAtTheVeryEndOfADayKeepsIt() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-03T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":2}}"#)
    try await fixture.inbox("a login 2026-11-03T04:00:00Z")
    try await fixture.seeNothing()
    try fixture.set("2026-11-04T00:00:00Z")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try fixture.set("2026-11-05T06:00:00Z")
    try await move(fixture, to: "Etc/UTC")
    try await fixture.closeAll()
    try await fixture.inbox("a login 2026-11-05T05:30:00Z")
    try fixture.set("2026-11-06T01:00:00Z")
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "a")?.streak.length == 4)
    #expect(await hasNothingToDo(fixture))
  }

  /// A zone that is eight hours ahead, and by its newer rules nine from noon of 2 November on.
  private final class ChangedZone: ZoneSource {
    let isNew = Lock(false)
    var version: String { isNew.withLock { $0 ? "new" : "old" } }

    func zone(named name: String) throws(ZoneError) -> Zone {
      guard name == "Test/Changed" else { return try SchedulerFixture.zones.zone(named: name) }
      let footer = isNew.withLock { $0 } ? "AAA-8BBB,J306/12,J365/23" : "AAA-8"
      do {
        return try Zone(name: name, tzif: TZifBuilder(footer: footer).bytes)
      } catch {
        throw ZoneError(name: name, what: "\(error)")
      }
    }
  }

  /// The day before was closed an hour into it, by older rules.
  @Test func aDayThatNewerRulesBeginEarlierIsHeldByAll() async throws {
    let zones = ChangedZone()
    let fixture = try await SchedulerFixture(at: "2026-10-31T17:00:00Z", zones: zones)
    try await fixture.hire(#"{"user":"a","timezone":"Test/Changed"}"#)
    try await fixture.inbox("a login 2026-10-31T16:30:00Z")
    try fixture.set("2026-11-02T16:01:00Z")
    try await fixture.inbox("a login 2026-11-02T04:00:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    zones.isNew.withLock { $0 = true }
    fixture.restart()
    try fixture.set("2026-11-03T18:01:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let close = try #require(fixture.records.closes.last)
    #expect(close.window.end.seconds(since: close.window.start) == 23 * 3_600)
    #expect(close.date.end.seconds(since: close.date.start) == 24 * 3_600)
    #expect(fixture.records.streaks.map(\.what) == [.held])
    #expect(await hasNothingToDo(fixture))
  }

  /// Four boosters of one day, told out of order: one follows the other, and the next day's exp is doubled.
  @Test func boostersRunInTheirOrderHoweverTheyAreTold() async throws {
    let text = #"""
      {"version": "b", "effectiveFrom": "2024-01-01", "streak": {"countsAs": ["login"]},
       "missions": {"stream": {"boosterDays": 1}, "purchase": {"boosterDays": 1}, "follow": {"boosterDays": 1},
         "share": {"boosterDays": 1}, "comment": {"exp": 100}}, "levels": {"rewards": {}}}
      """#
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    let fixture = try await SchedulerFixture(at: "2026-11-01T13:00:00Z", rules: rules)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    for (hour, kind) in [(13, "stream"), (11, "purchase"), (12, "follow"), (10, "share")] {
      try await fixture.inbox("a \(kind) 2026-11-01T\(hour):00:00Z")
    }
    try fixture.set("2026-11-02T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    try fixture.set("2026-11-02T12:10:00Z")
    try await fixture.inbox("a comment 2026-11-02T12:00:00Z")
    #expect(fixture.records.net["a/2026-11-02/comment"]?.exp == 200)
    #expect(await hasNothingToDo(fixture))
  }

  /// Back for a day that has not begun, away again and back once more before it does.
  @Test func whoReturnsTwiceBeforeTheFirstDayGoesOnOnce() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-02T14:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Asia/Tokyo"}"#)
    try await fixture.inbox("a login 2026-11-02T12:00:00Z")
    for (leaving, coming) in [("14:50", "15:10"), ("15:20", "15:30")] {
      try fixture.set("2026-11-02T\(leaving):00Z")
      #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
      try fixture.set("2026-11-02T\(coming):00Z")
      try await move(fixture, to: "Pacific/Honolulu")
    }
    for day in 3...6 {
      try fixture.set("2026-11-0\(day)T20:10:00Z")
      try await fixture.inbox("a login 2026-11-0\(day)T20:00:00Z")
      try fixture.set("2026-11-0\(day + 1)T10:30:00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    #expect(fixture.records.doubledCloses == [])
    let account = try await fixture.account("a")
    #expect(account.comebacks.isEmpty && account.boundaryDay.description == "2026-11-06")
    #expect(await fixture.balance(of: "a")?.streak.length == 5)
    #expect(await hasNothingToDo(fixture))
  }

  /// Back in a zone where the next date had begun before: the first day of the return begins where the user left.
  @Test func aReturnMayGoOnWhereTheUserLeft() async throws {
    let fixture = try await SchedulerFixture(at: "2026-03-01T12:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"America/New_York"}"#)
    try await fixture.inbox("a login 2026-03-01T11:00:00Z")
    try fixture.set("2026-03-01T21:40:15Z")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try fixture.set("2026-03-02T05:39:04Z")
    try await move(fixture, to: "Pacific/Apia")
    try await fixture.inbox("a login 2026-03-02T05:30:00Z")
    for hour in ["03T04:00", "03T05:00", "04T11:30"] {
      try fixture.set("2026-03-\(hour):00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    #expect(fixture.records.doubledCloses == [])
    let account = try await fixture.account("a")
    #expect(account.comebacks.isEmpty && account.boundaryDay.description == "2026-03-04")
    #expect(await hasNothingToDo(fixture))
  }

  /// Up to five minutes ahead of our clock is a fact, on whichever day.
  @Test func whatALookShowsOfTomorrowIsKept() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T23:58:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let at = try SchedulerFixture.instant("2026-11-21T00:01:00Z")
    try await fixture.look(
      at: "a", gift: .answered([.told(.gift, from: at, to: at)], refused: []))
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.closeAll()
    #expect(fixture.records.net["a/2026-11-21/gift"]?.points == 20)
    #expect(await hasNothingToDo(fixture))
  }

  /// The level that the plan would lift is reached on the running day before it is appended.
  @Test func aPlanDoesNotGiveALevelThatIsReachedMeanwhile() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"exp":170}}"#)
    try await fixture.inbox("a login 2026-11-20T05:00:00Z")
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    try await fixture.inbox("a comment 2026-11-20T05:30:00Z")
    let plans = await fixture.plans(plan: "p", clawsBack: false)
    #expect(plans.flatMap(\.records).contains { $0.levelGrant == "a/level/2" })
    try await fixture.inbox("a share 2026-11-21T00:20:00Z")
    let count = fixture.records.count
    await #expect(throws: PlanAppending.Outdated.self) {
      _ = try await PlanAppending(fixture.writer).append(plans)
    }
    #expect(fixture.records.count == count)
    try await fixture.backfill(plan: "p", clawsBack: false)
    #expect(fixture.records.doubledKeys == [])
    #expect(await hasNothingToDo(fixture))
  }
}

extension RecordBody {
  /// The key of a level's reward.
  fileprivate var levelGrant: String? {
    if case .grant(let grant) = self, grant.mission == "level" { grant.key } else { nil }
  }
}
