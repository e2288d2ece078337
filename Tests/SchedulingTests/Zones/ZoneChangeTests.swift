import CivilTime
import Evidence
import Foundations
import Ledger
import RewardRules
import Sandbox
import Scheduling
import TestSupport
import Testing

/// Changes of zone: nobody gains a second day, nobody loses a streak.
@Suite(.offThePool) struct ZoneChangeTests {
  private static let zones = [
    "Pacific/Kiritimati", "Pacific/Apia", "Asia/Tokyo", "Asia/Kathmandu", "Europe/Berlin",
    "Etc/UTC", "America/St_Johns", "America/New_York", "Pacific/Honolulu", "Pacific/Pago_Pago",
  ]

  /// A user who moves up to six times in some ten days, and does something on most of the days.
  private func life(seed: UInt64) async throws -> SchedulerFixture {
    var random = SplitMix64(seed: seed, 31)
    let fixture = try await SchedulerFixture(at: "2026-10-22T12:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"\#(random.pick(Self.zones))"}"#)
    var now = fixture.clock.now()
    var moves = random.number(in: 1...6)
    let end = now.adding(seconds: 12 * 86_400)
    while now < end {
      now = now.adding(seconds: random.number(in: 600...30_000))
      fixture.clock.set(now)
      if moves > 0, random.chance(0.3) {
        moves -= 1
        try await fixture.hire(#"{"user":"a","timezone":"\#(random.pick(Self.zones))"}"#)
      }
      if random.chance(0.7) { try await fixture.inbox("a login \(now)") }
      if random.chance(0.3) { try await fixture.inbox("a share \(now)") }
      if random.chance(0.1) { fixture.restart() }
      if random.chance(0.4) {
        // The day just ended counts in any case: nothing but a change could break the streak.
        try await fixture.inbox("a login \(now)")
        try await fixture.seeNothing()
        try await fixture.closeAll()
      }
    }
    fixture.clock.set(end.adding(seconds: 4 * 86_400))
    try await fixture.closeAll()
    return fixture
  }

  @Test(arguments: 0..<200) func nobodyGainsADay(seed: Int) async throws {
    let fixture = try await life(seed: UInt64(seed))
    let records = fixture.records
    #expect(records.doubledKeys == [], "seed \(seed)")
    let logins = records.grants.filter { $0.mission == "login" && !$0.key.contains("#") }
      .sorted { $0.effective < $1.effective }
    #expect(logins.count > 3, "seed \(seed)")
    for (first, second) in zip(logins, logins.dropFirst()) {
      #expect(first.day < second.day, "seed \(seed)")
    }
    // Per zone each named day is closed once, and the user's own days run on.
    #expect(records.doubledCloses == [], "seed \(seed)")
    let effects = records.users.compactMap(\.takesEffect)
    #expect(zip(effects, effects.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
    #expect(await fixture.missingCount() == 0, "seed \(seed)")
    let kept = try StateSnapshot.write(await fixture.writer.snapshot().state)
    #expect(StateSnapshot.write(fixture.foldedState) == kept, "seed \(seed)")
  }

  @Test func aChangeTakesEffectAtTheEndOfTheRunningDay() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Asia/Tokyo"}"#)
    try await fixture.hire(#"{"user":"a","timezone":"Europe/Berlin"}"#)
    let again = try await fixture.hire(#"{"user":"a","timezone":"Europe/Berlin"}"#)
    #expect([again.moved, again.unchanged, again.appended] == [0, 1, 0])
    // Tokyo's day ends at 15:00, on the same date in Berlin: it goes on until Berlin's midnight.
    try fixture.set("2026-11-20T16:00:00Z")
    try await fixture.inbox("a login 2026-11-20T15:30:00Z")
    #expect(fixture.records.grants.map(\.day.description) == ["2026-11-20"])
    #expect(
      await fixture.dueCloses().isEmpty)
    try fixture.set("2026-11-21T00:30:00Z")
    let due = await fixture.dueCloses()
    #expect(due.map(\.zone) == ["Europe/Berlin"])
    #expect(due.map(\.window.end) == [try SchedulerFixture.instant("2026-11-20T23:00:00Z")])
    try await fixture.closeAll()
    let effect = try #require(fixture.records.users.last)
    #expect(effect.takesEffect?.description == "2026-11-20")
    #expect([effect.zone, effect.from.description] == ["Europe/Berlin", "2026-11-20T23:00:00Z"])
    #expect(try await fixture.account("a").changes.isEmpty)
  }

  @Test func ofSeveralChangesInADayTheLastCounts() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    for zone in ["Asia/Tokyo", "America/New_York", "Etc/UTC"] {
      try await fixture.hire(#"{"user":"a","timezone":"\#(zone)"}"#)
    }
    try fixture.set("2026-11-21T00:30:00Z")
    let due = await fixture.dueCloses()
    #expect(due.map(\.zone) == ["Etc/UTC"])
    #expect(due.map(\.window.end) == [try SchedulerFixture.instant("2026-11-21T00:00:00Z")])
  }

  @Test func unknownZoneRefusesTheLineAndTouchesNobodyElse() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    let receipt = try await fixture.hire(
      #"{"user":"a","timezone":"Mars/Olympus"}"#, #"{"user":"b","timezone":"Asia/Tokyo"}"#)
    #expect(receipt.added == 1)
    #expect(receipt.problems.map(\.line) == [1])
    #expect(receipt.problems.first?.what.contains("Mars/Olympus") == true)
    #expect(fixture.foldedState.accounts.map(\.id) == ["b"])
  }

  /// Eastwards the next window is short; when nothing counts in it, the streak is held.
  @Test func shortenedWindowIsHeldNotMissed() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T20:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"America/New_York","since":"2026-11-20","opening":{"streak":3}}"#)
    try await fixture.inbox("a login 2026-11-20T19:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Asia/Tokyo"}"#)
    try fixture.set("2026-11-21T15:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(fixture.records.closes.map(\.zone) == ["America/New_York", "Asia/Tokyo"])
    #expect(fixture.records.streaks.map(\.what) == [.held])
    #expect(await fixture.balance(of: "a")?.streak.length == 4)
  }

  /// A purchase that the inbox tells a minute before it happens, on the next day: a move puts that day off, and the purchase falls
  /// to the day that is extended, and to that alone.
  @Test func aMoveTakesGrantsOverIntoTheDayThatItExtends() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T05:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"Asia/Tokyo"}"#)
    try fixture.set("2026-11-20T14:59:30Z")
    try await fixture.inbox("ann purchase 2026-11-20T15:00:30Z")
    try await fixture.hire(#"{"user":"ann","timezone":"America/Los_Angeles"}"#)
    try fixture.set("2026-11-20T15:00:40Z")
    try await fixture.inbox("ann login 2026-11-20T15:00:35Z")
    #expect(fixture.records.net["ann/2026-11-20/purchase"]?.points == 50)
    #expect(fixture.records.net["ann/2026-11-21/purchase"] == nil)
  }
}
