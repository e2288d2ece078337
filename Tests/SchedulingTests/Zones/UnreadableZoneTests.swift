import CivilTime
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What comes for users while the file of their time zone cannot be read, as between two packages of the database.
@Suite(.offThePool) struct UnreadableZoneTests {
  private let zones = PatchyZones(SchedulerFixture.zones, without: "Europe/Paris")

  private func fixture() async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-19T23:00:00Z", zones: zones)
    try await fixture.hire(
      #"{"user":"p","timezone":"Europe/Paris","since":"2026-11-20","opening":{"streak":2}}"#)
    return fixture
  }

  @Test func factsAreKeptAndJudgedOnceTheZoneCanBeRead() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-20T12:00:00Z")
    zones.isWhole.withLock { $0 = false }
    fixture.restart()
    let credit = try SchedulerFixture.credit(
      of: "p", at: "2026-11-20T08:00:00Z", exp: 150, id: "order-77")
    for _ in 0..<2 {
      let receipt = try await fixture.inbox(
        "p login 2026-11-20T09:00:00Z", "p login 2026-11-20T11:00:00Z")
      #expect(receipt.problems.count == 1 && receipt.rejected.isEmpty)
      #expect(receipt.problems.first?.contains("Europe/Paris") == true)
      _ = try await fixture.inboxIntake.add([credit], readAt: fixture.clock.now())
    }
    #expect(fixture.records.evidence.count == 2)
    #expect(fixture.records.credits.map(\.credit.amounts.exp) == [150])
    #expect(fixture.records.grants.isEmpty)

    zones.isWhole.withLock { $0 = true }
    fixture.restart()
    try fixture.set("2026-11-20T23:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let balance = try #require(await fixture.balance(of: "p"))
    #expect(balance.streak.length == 3)
    // 150 bought and 50 for the third day.
    #expect(balance.level == 2 && balance.exp == 0)
    let login = fixture.records.grants.first { $0.key == "p/2026-11-20/login" }
    #expect(login?.effective == (try SchedulerFixture.instant("2026-11-20T09:00:00Z")))
    #expect(await fixture.missingCount() == 0)
  }

  @Test func whatComesLateIsKeptToo() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    zones.isWhole.withLock { $0 = false }
    fixture.restart()
    let receipt = try await fixture.inbox("p login 2026-11-20T09:00:00Z")
    #expect(receipt.lateFacts == 1)
    #expect(fixture.records.evidence.count == 1)
  }

  /// Whoever is about to move to such a zone is judged on the days that end before: a close closes them with all
  /// others.
  @Test(arguments: [false, true]) func theDayBeforeAMoveIsJudged(isAlone: Bool) async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z", zones: zones)
    try await fixture.hire(#"{"user":"p","timezone":"Etc/UTC","opening":{"streak":2}}"#)
    if !isAlone { try await fixture.hire(#"{"user":"q","timezone":"Etc/UTC"}"#) }
    try fixture.set("2026-11-21T06:00:00Z")
    try await fixture.hire(#"{"user":"p","timezone":"Europe/Paris"}"#)
    try await fixture.seeNothing()
    zones.isWhole.withLock { $0 = false }
    try await fixture.closeAll()
    #expect(fixture.records.streaks.map(\.user) == ["p"])
    #expect(fixture.records.streaks.map(\.what) == [.broken])
    // The day after waits for the name, and is closed by it.
    try fixture.set("2026-11-22T06:00:00Z")
    try await fixture.closeAll()
    #expect(try await fixture.account("p").boundaryDay == Day(number: 20_777))
    zones.isWhole.withLock { $0 = true }
    fixture.restart()
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(try await fixture.account("p").boundaryDay == Day(number: 20_778))
    #expect(await fixture.missingCount() == 0)
  }
}
