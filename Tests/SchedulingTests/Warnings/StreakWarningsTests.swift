import CivilTime
import Foundations
import Ledger
import RewardRules
import Sandbox
import Scheduling
import TestSupport
import Testing

/// Who is warned that the streak breaks with the running day, when, and how often.
@Suite(.offThePool) struct StreakWarningsTests {
  private static let zones = [
    "Pacific/Kiritimati", "Asia/Tokyo", "Europe/Berlin", "Etc/UTC", "America/St_Johns",
    "America/New_York", "Pacific/Honolulu",
  ]

  private static func policy(_ unknown: WarningPolicy.Unknown = .wait) -> WarningPolicy {
    var polls = PollPolicy(
      everySeconds: 900, lastCallSeconds: 60, firstCallSeconds: 30, lagSeconds: 10,
      usersPerSecond: 60)
    polls.warningSeconds = 3 * 3_600
    return WarningPolicy(polls: polls, leastLength: 3, unknown: unknown, settleSeconds: 35)
  }

  /// Asks for everybody; when to ask next of each.
  @discardableResult
  private func warn(
    _ fixture: SchedulerFixture, _ unknown: WarningPolicy.Unknown = .wait
  ) async throws -> [Instant] {
    let count = await fixture.writer.read { $0.ledger.accounts.count }
    return try await StreakWarnings(fixture.writer, Self.policy(unknown)).run(
      over: Array(0..<count)
    ).map(\.due)
  }

  private func fixture(streak: Int = 5, zone: String = "Etc/UTC") async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"\#(zone)","opening":{"streak":\#(streak)}}"#)
    return fixture
  }

  @Test func warnsOnceAtTheTimeWhenNothingHasCounted() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-20T20:59:00Z")
    try await fixture.seeNothing()
    let due = try await warn(fixture)
    #expect(fixture.records.warnings == [])
    let time = try SchedulerFixture.instant("2026-11-20T21:00:00Z")
    #expect(due.allSatisfy { $0 > time && $0 < time.adding(seconds: 180) })
    try fixture.set("2026-11-20T21:02:00Z")
    try await fixture.seeNothing()
    let next = try await warn(fixture)
    let warning = try #require(fixture.records.warnings.first)
    #expect(warning.user == "a")
    #expect(warning.day == Day("2026-11-20"))
    #expect(warning.streak == StreakMark(length: 5, cycleDay: 5))
    #expect(warning.end == (try SchedulerFixture.instant("2026-11-21T00:00:00Z")))
    #expect(try #require(warning.knownThrough) >= time)
    #expect(next.map { $0 } == [warning.end])
    // Not again: not at once, not after a restart, and a snapshot remembers it.
    try await warn(fixture)
    fixture.restart()
    try fixture.set("2026-11-20T23:00:00Z")
    try await fixture.seeNothing()
    try await warn(fixture)
    #expect(fixture.records.warnings.count == 1)
    let again = try StateSnapshot.read(StateSnapshot.write(fixture.foldedState))
    #expect(again.account(of: "a")?.warnedDay == warning.day)
    // It changes nothing: nobody has got or lost anything by it.
    #expect(await fixture.missingCount() == 0)
    #expect(fixture.records.grants == [])
  }

  @Test func theNextDayIsAnother() async throws {
    let fixture = try await fixture()
    for day in ["2026-11-20", "2026-11-21", "2026-11-22"] {
      try fixture.set("\(day)T21:02:00Z")
      try await fixture.seeNothing()
      try await warn(fixture)
      try fixture.set("\(day)T23:59:58Z")
      try await fixture.inbox("a login \(day)T21:30:00Z")
      try await fixture.seeNothing()
    }
    #expect(
      fixture.records.warnings.map { $0.day?.description } == [
        "2026-11-20", "2026-11-21", "2026-11-22",
      ])
    #expect(fixture.records.warnings.map(\.streak?.length) == [5, 6, 7])
  }

  @Test func whatIsUnknownWarnsNobodyUnlessAskedFor() async throws {
    let fixture = try await fixture()
    // The last poll was at noon.
    try fixture.set("2026-11-20T12:00:00Z")
    try await fixture.seeNothing()
    try fixture.set("2026-11-20T21:02:00Z")
    await fixture.noteInbox()
    let due = try await warn(fixture)
    #expect(fixture.records.warnings == [])
    #expect(due == [fixture.clock.now().adding(seconds: 300)])
    // Known at last: a poll of the last stream and gift proves the time before it too.
    try fixture.set("2026-11-20T22:30:00Z")
    try await fixture.seeNothing()
    try await warn(fixture)
    #expect(fixture.records.warnings.count == 1)

    let other = try await self.fixture()
    try other.set("2026-11-20T21:02:00Z")
    try await warn(other, .warn)
    let warning = try #require(other.records.warnings.first)
    #expect(
      try #require(warning.knownThrough) < (try SchedulerFixture.instant("2026-11-20T21:00:00Z")))
  }

  @Test func whateverCountedOrWasExcusedIsSafe() async throws {
    let counted = try await fixture()
    try counted.set("2026-11-20T21:01:00Z")
    try await counted.seeNothing()
    try await counted.inbox("a comment 2026-11-20T21:00:59Z")
    try counted.set("2026-11-20T21:02:00Z")
    #expect(try await warn(counted) == [SchedulerFixture.instant("2026-11-21T00:00:00Z")])
    #expect(counted.records.warnings == [])
    #expect(await !StreakWarnings.isAtRisk("a", by: counted.writer))

    let short = try await fixture(streak: 2)
    try short.set("2026-11-20T21:02:00Z")
    try await short.seeNothing()
    try await warn(short)
    #expect(short.records.warnings == [])
    #expect(await StreakWarnings.isAtRisk("a", by: short.writer))

    let excused = try await fixture()
    let day = try #require(Day("2026-11-20"))
    try await excused.writer.append(
      .excuse(ExcuseRecord(from: day, to: day, users: ["a"], reason: "outage", actor: "x")))
    try excused.set("2026-11-20T21:02:00Z")
    try await excused.seeNothing()
    try await warn(excused)
    #expect(excused.records.warnings == [])
  }

  /// A warning that is on its way is not sent once the day has counted.
  @Test func isAtRiskFollowsTheDay() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-20T21:02:00Z")
    #expect(await StreakWarnings.isAtRisk("a", by: fixture.writer))
    try await fixture.inbox("a login 2026-11-20T21:01:30Z")
    #expect(await !StreakWarnings.isAtRisk("a", by: fixture.writer))
    #expect(await !StreakWarnings.isAtRisk("nobody", by: fixture.writer))
  }

  /// A day that a move extends is one day; one that it shortens cannot be missed.
  @Test func aMoveWarnsNobodyTwice() async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-20T21:02:00Z")
    try await fixture.seeNothing()
    try await warn(fixture)
    #expect(fixture.records.warnings.count == 1)
    // To the other side of the date line: the running day goes on for most of another.
    try await fixture.hire(#"{"user":"a","timezone":"Pacific/Honolulu"}"#)
    for hour in 22..<40 {
      fixture.clock.set(
        try SchedulerFixture.instant("2026-11-20T00:05:00Z").adding(seconds: Int64(hour) * 3_600))
      try await fixture.seeNothing()
      try await warn(fixture)
    }
    let days = fixture.records.warnings.map(\.day)
    #expect(Set(days).count == days.count)
  }

  @Test func daysOfAllLengthsAreWarnedOfTheSameTimeBeforeTheirEnd() async throws {
    for (zone, before, due, end) in [
      ("Europe/Berlin", "2026-10-24T22:30:00Z", "2026-10-25T20:00:00Z", "2026-10-25T23:00:00Z"),
      ("Europe/Berlin", "2026-03-28T23:30:00Z", "2026-03-29T19:00:00Z", "2026-03-29T22:00:00Z"),
      ("America/St_Johns", "2026-11-01T03:00:00Z", "2026-11-02T00:30:00Z", "2026-11-02T03:30:00Z"),
    ] {
      let fixture = try await SchedulerFixture(at: before)
      try await fixture.hire(#"{"user":"a","timezone":"\#(zone)","opening":{"streak":5}}"#)
      let instant = try SchedulerFixture.instant(due)
      fixture.clock.set(instant.adding(seconds: -1))
      try await fixture.seeNothing()
      try await warn(fixture)
      #expect(fixture.records.warnings == [], "\(zone) \(before)")
      fixture.clock.set(instant.adding(seconds: 120))
      try await fixture.seeNothing()
      try await warn(fixture)
      #expect(fixture.records.warnings.map(\.end) == [try SchedulerFixture.instant(end)])
    }
  }

  /// Random lives with moves, restarts, blind hours and late lines: whatever happens, a warning is due, true and the
  /// only one.
  @Test(arguments: 0..<60) func neverTwiceNeverEarlyNeverAfterSomethingCounted(seed: Int)
    async throws
  {
    var random = SplitMix64(seed: UInt64(seed), 77)
    let fixture = try await SchedulerFixture(at: "2026-10-22T12:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"\#(random.pick(Self.zones))","opening":{"streak":9}}"#)
    let end = fixture.clock.now().adding(seconds: 10 * 86_400)
    while fixture.clock.now() < end {
      fixture.clock.set(fixture.clock.now().adding(seconds: random.number(in: 300...9_000)))
      let now = fixture.clock.now()
      if random.chance(0.05) {
        try await fixture.hire(#"{"user":"a","timezone":"\#(random.pick(Self.zones))"}"#)
      }
      if random.chance(0.08) {
        try await fixture.inbox("a login \(now.adding(seconds: -random.number(in: 0...4_000)))")
      }
      if random.chance(0.7) { try await fixture.seeNothing() }
      if random.chance(0.2) { fixture.restart() }
      if random.chance(0.1) { try await fixture.closeAll() }
      let before = fixture.records.count
      try await warn(fixture)
      for warning in fixture.records[before...].warnings {
        let (dayEnd, known) = try (#require(warning.end), #require(warning.knownThrough))
        #expect(now < dayEnd)
        #expect(dayEnd.adding(seconds: -3 * 3_600) <= now, "seed \(seed)")
        #expect(known >= dayEnd.adding(seconds: -3 * 3_600))
        #expect(
          !Array(fixture.records[..<before]).grants.contains { $0.day == warning.day },
          "seed \(seed)")
      }
    }
    let days = fixture.records.warnings.map(\.day)
    #expect(Set(days).count == days.count, "seed \(seed)")
  }
}

extension Collection<Record> {
  fileprivate var warnings: [MessageRecord] {
    compactMap { if case .message(let warning) = $0.body { warning } else { nil } }
  }
}
