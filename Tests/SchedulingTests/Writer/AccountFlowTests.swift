import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Limits and releases, opening balances, credits, and users who leave and come back.
@Suite(.offThePool) struct AccountFlowTests {
  /// The app's rules with a limit of 60 points a day.
  private func tightRules() throws -> RulesDocument {
    let text = RulesDocument.builtInText.replacing(
      "\"pointsPerUserDay\": 1000", with: "\"pointsPerUserDay\": 60")
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  @Test func heldBackGrantWaitsForARelease() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z", rules: try tightRules())
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await fixture.inbox("a share 2026-11-20T04:00:00Z")
    let receipt = try await fixture.inbox("a purchase 2026-11-20T05:00:00Z")
    let key = "a/2026-11-20/purchase"
    let refusal = try #require(receipt.records.refusals.first)
    #expect(refusal.what == .heldBack)
    #expect(refusal.key == key)
    #expect(refusal.amounts.points == 50)
    #expect(refusal.detail.contains("rewards release \(key)"))
    #expect(await fixture.missingCount() == 0)
    #expect(await fixture.balance(of: "a")?.points == 35)
    fixture.restart()
    #expect(await fixture.missingCount() == 0)

    try await fixture.writer.append(
      .operator(OperatorRecord(act: .release, subject: key, reason: "a big day", actor: "op")))
    let released = try await OpenDayEvaluation(fixture.writer).run(over: 0..<1)
    #expect(released.grants == 1)
    #expect(fixture.records.grants.last?.key == key)
    #expect(await fixture.missingCount() == 0)
    #expect(await fixture.balance(of: "a")?.points == 85)
  }

  @Test func heldBackLoginStillCounts() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z", rules: try tightRules())
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":4}}"#)
    let receipt = try await fixture.inbox("a login 2026-11-20T04:00:00Z")
    #expect(receipt.records.grants.isEmpty)
    #expect(receipt.records.refusals.first?.streak == StreakMark(length: 5, cycleDay: 5))
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "a")?.streak.length == 5)
    let next = try await fixture.inbox("a login 2026-11-21T00:20:00Z")
    #expect(next.records.grants.first?.streak == StreakMark(length: 6, cycleDay: 6))
  }

  /// The first of two cycles' ends is found out late; its successor was held back already.
  @Test func heldBackLoginTakesTheStreakThatAnEarlierFactMakes() async throws {
    let text = RulesDocument.builtInText.replacing(
      "\"pointsPerUserDay\": 1000", with: "\"pointsPerUserDay\": 20")
    let fixture = try await SchedulerFixture(
      at: "2026-11-20T06:00:00Z", rules: try RulesDocument.parse(Array(text.utf8)).get())
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":6}}"#)
    try fixture.set("2026-11-21T00:10:00Z")
    try await fixture.seeNothing()
    try await fixture.inbox("a login 2026-11-21T00:05:00Z")
    #expect(fixture.records.refusals.map(\.streak?.length) == [1])
    try await fixture.inbox("a login 2026-11-20T20:05:00Z")
    #expect(fixture.records.refusals.map(\.streak?.length) == [1, 8])
    #expect(await fixture.missingCount() == 0)
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "a")?.streak.length == 8)
  }

  @Test func userFromYearsAgoIsJudgedToday() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.allow(1_000_000)
    try await fixture.hire(#"{"user":"z","timezone":"Etc/UTC"}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.closeAll()
    let receipt = try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC","since":"2024-01-01"}"#,
      #"{"user":"b","timezone":"Etc/UTC","since":"2015-01-01"}"#)
    #expect(receipt.added == 1)
    #expect(receipt.problems.map(\.line) == [2])
    #expect(receipt.problems.first?.what.contains("days ago") == true)
    try await fixture.inbox("a share 2024-03-01T05:00:00Z", "a share 2026-11-20T05:00:00Z")
    #expect(fixture.records.net["a/2024-03-01/share"]?.points == 10)
    #expect(fixture.records.net["a/2026-11-20/share"]?.points == 10)
  }

  @Test func openingBalanceIsTheBeginning() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC","opening":{"points":1000,"exp":190,"level":5,"streak":9,"items":["fontColor/red"]}}"#
    )
    let balance = try #require(await fixture.balance(of: "a"))
    #expect([balance.points, balance.exp, Int64(balance.level)] == [1_000, 190, 5])
    #expect(balance.items == ["fontColor/red"])
    #expect([balance.streak.length, balance.streak.cycleDay, balance.streak.longest] == [9, 2, 9])
    let receipt = try await fixture.inbox("a login 2026-11-20T04:00:00Z")
    #expect(receipt.records.grants.first?.streak == StreakMark(length: 10, cycleDay: 3))
    // Rewards of the levels that the user brings are not given again.
    #expect(!fixture.records.grants.contains { $0.mission == "level" })
  }

  /// While the day is open too, its own level table counts, not that of the date elsewhere.
  @Test(arguments: [
    ("America/Los_Angeles", "2026-11-03T01:00:00Z", 1), ("Asia/Tokyo", "2026-11-02T19:00:00Z", 11),
  ])
  func creditCountsByTheLevelsOfTheUsersOwnDay(zone: String, at: String, level: Int32) async throws
  {
    func rules(_ version: String, cap: Int, from: String) throws -> RulesDocument {
      let caps = Array(repeating: "\(cap)", count: 29).joined(separator: ",")
      let text = """
        {"version": "\(version)", "effectiveFrom": "\(from)", "levels": {"caps": [\(caps)], "rewards": {}}}
        """
      return try RulesDocument.parse(Array(text.utf8)).get()
    }
    let documents = [
      try rules("a", cap: 200, from: "2024-01-01"), try rules("b", cap: 10, from: "2026-11-03"),
    ]
    let fixture = try await SchedulerFixture(at: "2026-11-02T18:00:00Z", rules: documents[0])
    _ = try await RulesUse(fixture.writer).record(documents, by: "test")
    try await fixture.hire(#"{"user":"a","timezone":"\#(zone)"}"#)
    try fixture.set(at)
    let credit = try SchedulerFixture.credit(of: "a", at: at, exp: 100)
    _ = try await fixture.inboxIntake.add([credit], readAt: fixture.clock.now())
    #expect(await fixture.balance(of: "a")?.level == level)
    try fixture.set("2026-11-04T12:00:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "a")?.level == level)
  }

  @Test func creditCountsOnceByItsIDOrByItsContent() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let credit = { (exp: Int64, id: String?) in
      try SchedulerFixture.credit(
        of: "a", at: "2026-11-20T05:00:00Z", exp: exp, items: ["fontColor/red"], id: id)
    }
    for _ in 0..<2 {
      _ = try await fixture.inboxIntake.add(
        [credit(10, "x"), credit(10, "x"), credit(20, nil), credit(20, nil), credit(30, nil)],
        readAt: fixture.clock.now())
    }
    fixture.restart()
    _ = try await fixture.inboxIntake.add(
      [credit(10, "x"), credit(30, nil)], readAt: fixture.clock.now())
    #expect(fixture.records.credits.map(\.credit.amounts.exp) == [10, 20, 30])
    #expect(await fixture.balance(of: "a")?.exp == 60)
    #expect(await fixture.balance(of: "a")?.items == ["fontColor/red"])
  }

  @Test func oneIDWithTwoContentsIsRejected() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let lines = try [5, 6].map { exp in
      try SchedulerFixture.credit(
        number: exp, of: "a", at: "2026-11-20T05:00:00Z", exp: Int64(exp), id: "x")
    }
    let receipt = try await fixture.inboxIntake.add(lines, readAt: fixture.clock.now())
    #expect(receipt.rejected.map(\.number) == [6])
    #expect(fixture.records.credits.map(\.credit.amounts.exp) == [5])
  }

  /// What somebody bought before the first judged day is theirs from its beginning on, whenever it is told.
  @Test(arguments: [false, true])
  func creditFromBeforeTheFirstDayCounts(isLate: Bool) async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let line = try SchedulerFixture.credit(
      of: "a", at: "2026-11-19T05:00:00Z", exp: 250, items: ["fontColor/blue"])
    if isLate {
      try fixture.set("2026-11-21T00:30:00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    let receipt = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
    #expect(receipt.lateFacts == (isLate ? 1 : 0))
    if isLate { try await fixture.backfill(plan: "p", clawsBack: false) }
    #expect(await fixture.balance(of: "a")?.level == 2)
    #expect(await fixture.balance(of: "a")?.items.contains("fontColor/blue") == true)
  }

  @Test func creditLiftsALevelAndOwnsItsItem() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let line = try SchedulerFixture.credit(
      of: "a", at: "2026-11-20T05:00:00Z", exp: 500, items: ["levelLabel/levelLabel"])
    let receipt = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
    let grant = try #require(receipt.records.grants.first)
    #expect(grant.key == "a/level/2")
    // The label is owned already: the fallback's points instead.
    #expect(grant.reward.items == [])
    #expect(grant.reward.points == 50)
    #expect(await fixture.balance(of: "a")?.level == 3)
  }

  @Test func linesThatCannotBeTakenAreRejectedAndHarmNobody() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let receipt = try await fixture.inbox(
      "nobody login 2026-11-20T05:00:00Z", "a login 2026-11-20T06:05:01Z",
      "a share 2026-11-20T06:05:00Z")
    #expect(receipt.rejected.map(\.number) == [1, 2])
    #expect(receipt.rejected[0].reason.contains("user nobody is not in the roster"))
    #expect(receipt.rejected[1].reason.contains("more than 5 minutes ahead"))
    #expect(receipt.records.grants.map(\.key) == ["a/2026-11-20/login", "a/2026-11-20/share"])
  }

  @Test func removedUserIsNotJudgedAndKeepsThePast() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await fixture.inbox("a login 2026-11-20T05:00:00Z")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    #expect(try await !RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    #expect(
      try await !RosterImport(fixture.writer).remove(user: "nobody", reason: "left", by: "tests"))
    let receipt = try await fixture.inbox("a share 2026-11-20T05:30:00Z")
    #expect(receipt.rejected.count == 1)
    // The day of leaving is closed like any other, and nothing after it.
    for day in ["21", "22"] {
      try fixture.set("2026-11-\(day)T00:30:00Z")
      try await fixture.closeAll()
    }
    #expect(fixture.records.closes.map { "\($0.window.day)" } == ["2026-11-20"])
    #expect(fixture.records.streaks.isEmpty)
    #expect(await fixture.balance(of: "a")?.points == 25)
  }

  /// While a user is away lines about the user are refused: that none came says nothing, whatever first day the roster keeps.
  @Test func silenceDuringAnAbsenceBreaksNoStreak() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-18T06:00:00Z")
    let line = #"{"user":"a","timezone":"Etc/UTC","since":"2026-11-10","opening":{"streak":8}}"#
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":8}}"#)
    try await fixture.inbox("a login 2026-11-18T05:00:00Z")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try fixture.set("2026-11-19T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(try await fixture.inbox("a login 2026-11-19T05:00:00Z").rejected.count == 1)
    try fixture.set("2026-11-21T06:00:00Z")
    try await fixture.hire(line)
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "a")?.streak.length == 9)
  }

  /// The line that brings a user back still says since when the user was first judged.
  @Test(arguments: ["Etc/UTC", "Asia/Tokyo", "Pacific/Honolulu", "Pacific/Kiritimati"])
  func returningUserIsNotPaidAgainForTheDaysBefore(zone: String) async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-18T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","since":"2026-11-17"}"#)
    let lines = ["a login 2026-11-17T05:00:00Z", "a login 2026-11-18T05:00:00Z"]
    try await fixture.inbox(lines[0], lines[1])
    try fixture.set("2026-11-19T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let points = await fixture.balance(of: "a")?.points
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    try fixture.set("2026-11-19T08:00:00Z")
    let receipt = try await fixture.hire(
      #"{"user":"a","timezone":"\#(zone)","since":"2026-11-17"}"#)
    #expect(receipt.added == 1)
    try await fixture.inbox(lines[0], lines[1])
    #expect(fixture.records.doubledKeys == [])
    #expect(await fixture.balance(of: "a")?.points == points)
    let account = try await fixture.account("a")
    #expect(account.boundaryDay.description == "2026-11-18")
    #expect(account.boundary >= (try SchedulerFixture.instant("2026-11-19T00:00:00Z")))
    try await fixture.inbox("a login 2026-11-19T07:00:00Z")
    #expect(fixture.records.doubledKeys == [])
  }
}
