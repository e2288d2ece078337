import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// An outage holds the days that it hid and no others; a pardon holds days; both can be withdrawn.
@Suite(.offThePool) struct ExcuseLawTests {
  /// Two users with a streak of three. On the 20th `seen` was polled until the end, and did nothing; `hidden` not after
  /// 20:00Z.
  private func fixture(hiddenZone: String = "Etc/UTC") async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"seen","timezone":"Etc/UTC","opening":{"streak":3}}"#,
      #"{"user":"hidden","timezone":"\#(hiddenZone)","opening":{"streak":3}}"#)
    try fixture.set("2026-11-20T20:00:00Z")
    try await fixture.look(at: "hidden")
    try fixture.set("2026-11-21T00:30:00Z")
    await fixture.noteInbox()
    try await fixture.look(at: "seen")
    return fixture
  }

  private func declare(
    _ outage: (String, String), in fixture: SchedulerFixture
  ) async throws {
    let span = ExcuseRecord.Outage(
      from: try SchedulerFixture.instant("2026-11-\(outage.0):00Z"),
      to: try SchedulerFixture.instant("2026-11-\(outage.1):00Z"))
    var record = ExcuseRecord(
      from: Day(number: 0), to: Day(number: 40_000), reason: "down", actor: "tester")
    record.outage = span
    try await fixture.writer.append(.excuse(record))
  }

  private func what(_ user: String, in fixture: SchedulerFixture) -> StreakChange? {
    fixture.records.streaks.last { $0.user == user }?.what
  }

  @Test(arguments: [
    (("20T22:00", "21T02:00"), StreakChange.excused), (("20T19:00", "20T20:01"), .excused),
    (("20T23:59", "22T00:00"), .excused),
    // It meets nothing of what is unknown.
    (("20T15:00", "20T19:59"), .held), (("21T00:00", "21T04:00"), .held),
  ])
  func anOutageHoldsWhatItHid(outage: (String, String), held: StreakChange) async throws {
    let fixture = try await fixture()
    try await declare(outage, in: fixture)
    try await fixture.closeAll()
    #expect(what("hidden", in: fixture) == held)
    #expect(what("seen", in: fixture) == .broken)
    #expect(await fixture.balance(of: "hidden")?.streak.length == 3)
    #expect(await fixture.balance(of: "seen")?.streak.length == 0)
  }

  @Test func anOutageThatIsToldLaterGivesNothingToWhomWasSeen() async throws {
    let fixture = try await fixture()
    try await fixture.closeAll()
    #expect(what("hidden", in: fixture) == .held)
    try await declare(("20T22:00", "21T02:00"), in: fixture)
    let plans = await fixture.plans(plan: "p", clawsBack: true)
    #expect(plans.first { $0.user == "seen" }?.records.isEmpty ?? true)
    try await fixture.backfill(plan: "p", clawsBack: true)
    #expect(await fixture.balance(of: "seen")?.streak.length == 0)
    #expect(await fixture.balance(of: "hidden")?.streak.length == 3)
  }

  @Test func aPardonOfAZoneIsForItsDays() async throws {
    let fixture = try await fixture(hiddenZone: "Europe/London")
    try fixture.set("2026-11-21T00:40:00Z")
    try await fixture.look(at: "hidden")
    var record = ExcuseRecord(
      from: Day(number: 0), to: Day(number: 40_000), reason: "ours", actor: "tester")
    record.zone = "Europe/London"
    try await fixture.writer.append(.excuse(record))
    try await fixture.closeAll()
    #expect(what("hidden", in: fixture) == .excused)
    #expect(what("seen", in: fixture) == .broken)
  }

  @Test func whatIsWithdrawnIsAsIfItHadNotBeen() async throws {
    let fixture = try await fixture()
    let pardon = ExcuseRecord(
      from: Day(number: 0), to: Day(number: 40_000), users: ["seen"], reason: "a slip",
      actor: "tester")
    try await fixture.writer.append(.excuse(pardon))
    let seq = await fixture.writer.read { $0.ledger.excuses.last?.seq }
    try await fixture.closeAll()
    #expect(await fixture.balance(of: "seen")?.streak.length == 3)
    var withdrawal = pardon
    withdrawal.withdraws = seq
    try await fixture.writer.append(.excuse(withdrawal))
    // What is closed stays until a plan is applied; then the day is missed after all.
    #expect(await fixture.balance(of: "seen")?.streak.length == 3)
    try await fixture.backfill(plan: "p", clawsBack: true)
    #expect(await fixture.balance(of: "seen")?.streak.length == 0)
    #expect(await fixture.plans(plan: "q", clawsBack: true).allSatisfy(\.records.isEmpty))
    // The pardon of a later day is none either.
    try fixture.set("2026-11-21T12:00:00Z")
    try await fixture.inbox("seen login 2026-11-21T11:00:00Z")
    try await fixture.closeDay(22)
    #expect(what("seen", in: fixture) == .broken)
  }
}
