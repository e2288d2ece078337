import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Which days are due, who belongs to them, and when a close waits for a person.
@Suite(.offThePool) struct CloseTests {
  /// Users with a streak of 3 in UTC on 2026-11-20.
  private func fixture(users: Int) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    let lines = (0..<users).map {
      #"{"user":"u\#($0)","timezone":"Etc/UTC","opening":{"streak":3}}"#
    }
    try await fixture.hire(lines.joined(separator: "\n"))
    return fixture
  }

  @Test func massBreakWaitsForAPerson() async throws {
    let fixture = try await fixture(users: 30)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let before = fixture.records.count
    let waiting = try await fixture.closeAll(guarding: MassBreakGuard())
    #expect(waiting.first?.objection?.hasPrefix("30 of 30 streaks would break") == true)
    #expect(fixture.records.count == before)
    #expect(await fixture.balance(of: "u1")?.streak.length == 3)
    // Asked again, it still waits.
    #expect(try await fixture.closeAll(guarding: MassBreakGuard()).first?.objection != nil)

    let confirmed = try await fixture.closeAll(guarding: MassBreakGuard(), isConfirmed: true)
    #expect(confirmed.first?.closed?.broken == 30)
    let acts = fixture.records.compactMap { record -> OperatorRecord? in
      if case .operator(let act) = record.body { act } else { nil }
    }
    #expect(acts.map(\.act) == [.bringIn, .confirmClose])
    #expect(acts.last?.subject == "Etc/UTC/2026-11-20")
    #expect(fixture.records.streaks.count == 30)
    #expect(fixture.foldedState.confirmedCloses.isEmpty)
  }

  /// Somebody comes from Kiritimati with a date that Fakaofo leaves out: it ends at the instant at which the residents' date before it
  /// does. Theirs is closed first, and is not taken for the other.
  @Test func aDateThatAZoneHasNotIsTheMoversAlone() async throws {
    let fixture = try await SchedulerFixture(at: "2011-12-29T00:00:00Z")
    try await fixture.hire(
      #"{"user":"m","timezone":"Pacific/Kiritimati"}"#,
      #"{"user":"r","timezone":"Pacific/Fakaofo"}"#, #"{"user":"s","timezone":"Pacific/Fakaofo"}"#)
    try fixture.set("2011-12-30T01:00:00Z")
    try await fixture.hire(#"{"user":"m","timezone":"Pacific/Fakaofo"}"#)
    try fixture.set("2011-12-30T12:00:00Z")
    try await fixture.seeNothing()
    let last = await fixture.dueCloses().filter { $0.zone == "Pacific/Fakaofo" }.suffix(2)
    #expect(last.map { "\($0.window.day)" } == ["2011-12-29", "2011-12-30"])
    #expect(Set(last.map(\.window.end)).count == 1)
    try await fixture.closeAll()
    let closes = fixture.records.compactMap { record -> CloseRecord? in
      if case .close(let close) = record.body, close.zone == "Pacific/Fakaofo" {
        close
      } else {
        nil
      }
    }
    #expect(
      closes.suffix(2).map { "\($0.window.day) \($0.users)" } == ["2011-12-29 2", "2011-12-30 1"])
    for user in ["m", "r", "s"] {
      let account = try await fixture.account(user)
      #expect("\(account.boundaryDay)" == (user == "m" ? "2011-12-30" : "2011-12-29"))
      #expect(account.boundary == (try SchedulerFixture.instant("2011-12-30T11:00:00Z")))
    }
  }

  @Test func recordedConfirmationLetsTheCloseThrough() async throws {
    let fixture = try await fixture(users: 30)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.writer.append(
      .operator(
        OperatorRecord(
          act: .confirmClose, subject: "Etc/UTC/2026-11-20", reason: "true", actor: "op")))
    #expect(try await fixture.closeAll(guarding: MassBreakGuard()).first?.closed?.broken == 30)
  }

  @Test func fewStreaksSayNothing() async throws {
    let fixture = try await fixture(users: 19)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    #expect(try await fixture.closeAll(guarding: MassBreakGuard()).first?.closed?.broken == 19)
  }

  /// Users of one zone may be divided among ledgers, none of which has enough of them to tell.
  @Test func streaksOfOtherLedgersCount() async throws {
    let fixture = try await fixture(users: 12)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let alike = StreakCount(streaks: 12, broken: 12)
    let waiting = try await fixture.closeAll(guarding: MassBreakGuard(), beside: alike)
    #expect(waiting.first?.objection?.hasPrefix("24 of 24 streaks would break") == true)
    let lively = StreakCount(streaks: 100, broken: 1)
    let closed = try await fixture.closeAll(guarding: MassBreakGuard(), beside: lively)
    #expect(closed.first?.closed?.broken == 12, "12 of 112 is no outage")
  }

  /// Whoever confirms without the word of others leaves a trace, however few streaks break here.
  @Test func aConfirmationWithoutTheOthersIsRecorded() async throws {
    let fixture = try await fixture(users: 3)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll(guarding: MassBreakGuard(), isConfirmed: true, unheard: [1, 3])
    let reasons = fixture.records.compactMap { record -> String? in
      if case .operator(let act) = record.body, act.act == .confirmClose { act.reason } else { nil }
    }
    #expect(reasons == ["the streaks of shard 1, 3 were not counted"])
  }

  /// What is counted for other ledgers is what the closes then find, each day upon the one before.
  @Test func whatIsCountedIsWhatCloses() async throws {
    let fixture = try await fixture(users: 5)
    try fixture.set("2026-11-20T10:00:00Z")
    try await fixture.inbox("u0 login 2026-11-20T09:00:00Z")
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.inbox("u1 login 2026-11-21T09:00:00Z")
    try await fixture.seeNothing()
    let closer = DayCloser(fixture.writer, guarding: SchedulerFixture.noGuard)
    let due = await fixture.dueCloses()
    let report = await closer.report(counting: due)
    #expect(due.map { report.counts[$0]?.streaks } == [5, 1])
    #expect(report.ended == due)
    try await fixture.closeAll()
    let closes = fixture.records.closes
    #expect(closes.map(\.counts.streaks) == due.map { report.counts[$0]?.streaks })
    #expect(closes.map(\.counts.broken) == due.map { report.counts[$0]?.broken })
    #expect(await closer.report(counting: []).usual.usualStreaks == 6)
    #expect(await closer.report(counting: []).ended.isEmpty)
  }

  /// A day that has ended is waited for even before its answers are fresh.
  @Test func endedDaysAreToldBeforeTheyAreDue() async throws {
    let fixture = try await fixture(users: 1)
    try fixture.set("2026-11-21T00:00:05Z")
    #expect(await fixture.dueCloses() == [])
    let closer = DayCloser(fixture.writer, guarding: SchedulerFixture.noGuard)
    #expect(await closer.report(counting: []).ended.map(\.zone) == ["Etc/UTC"])
  }

  struct GuardRow: Sendable {
    let streaks: Int
    let broken: Int
    let history: [(Int, Int)]
    let objects: Bool
  }

  @Test(arguments: [
    GuardRow(streaks: 100, broken: 0, history: [], objects: false),
    GuardRow(streaks: 100, broken: 50, history: [], objects: false),
    GuardRow(streaks: 100, broken: 51, history: [], objects: true),
    GuardRow(streaks: 100, broken: 25, history: [(100, 5)], objects: false),
    GuardRow(streaks: 100, broken: 26, history: [(100, 5)], objects: true),
    GuardRow(streaks: 100, broken: 26, history: [(60, 2), (40, 3)], objects: true),
    GuardRow(streaks: 100, broken: 5, history: [(1_000, 0)], objects: false),
    GuardRow(streaks: 100, broken: 6, history: [(1_000, 0)], objects: true),
    GuardRow(streaks: 19, broken: 19, history: [(1_000, 0)], objects: false),
  ])
  func guardKnowsTheUsualShare(row: GuardRow) {
    let window = DayWindow(
      day: Day(number: 20_000), start: Instant(seconds: 0), end: Instant(seconds: 1))
    var closes = ZoneCloses(last: window)
    for (streaks, broken) in row.history { closes.add(window, streaks: streaks, broken: broken) }
    var count = StreakCount(streaks: row.streaks, broken: row.broken)
    for share in closes.shares {
      count.usualStreaks += share.streaks
      count.usualBroken += share.broken
    }
    let objection = MassBreakGuard().objection(to: count)
    #expect((objection != nil) == row.objects)
  }

  @Test func daysAreDueInTheOrderOfTheirEndsOnceTheAnswersAreFresh() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC"}"#, #"{"user":"b","timezone":"Asia/Tokyo"}"#,
      #"{"user":"c","timezone":"Europe/London"}"#)
    let due = {
      await fixture.dueCloses().map(\.zone)
    }
    try fixture.set("2026-11-20T15:00:09Z")
    #expect(await due() == [])
    try fixture.set("2026-11-20T15:00:10Z")
    #expect(await due() == ["Asia/Tokyo"])
    try fixture.set("2026-11-21T16:00:00Z")
    #expect(await due() == ["Asia/Tokyo", "Etc/UTC", "Europe/London", "Asia/Tokyo"])
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    let narrowed = await fixture.dueCloses(
      zones: ["Asia/Tokyo", "Etc/UTC"], through: day)
    #expect(narrowed.map(\.zone) == ["Asia/Tokyo", "Etc/UTC"])
    try await fixture.closeAll()
    #expect(await due() == [])
    let ends = fixture.records.closes.map(\.window.end)
    #expect(ends == ends.sorted())
  }

  @Test func withoutRoutesADayIsDueAtItsEnd() async throws {
    let kinds = KindSet(ActivityKind.allCases.filter { $0.source == .inbox })
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z", watched: kinds)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try fixture.set("2026-11-21T00:00:00Z")
    #expect(
      await fixture.dueCloses().count == 1
    )
  }

  @Test func whoIsBehindTheZonesCloseIsClosedDayByDay() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    try await fixture.hire(#"{"user":"b","timezone":"Etc/UTC","since":"2026-11-18"}"#)
    #expect(
      await fixture.dueCloses().map(\.window.day.description) == [
        "2026-11-18", "2026-11-19", "2026-11-20",
      ])
    try await fixture.inbox("b login 2026-11-18T12:00:00Z", "b login 2026-11-19T12:00:00Z")
    try fixture.set("2026-11-22T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let closes = fixture.records.closes
    #expect(
      closes.map(\.window.day.description) == [
        "2026-11-20", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21",
      ])
    // Each is of one day: two counted days and a missed one of the user behind, then a missed one of both.
    #expect(closes.map(\.users) == [1, 1, 1, 1, 2])
    #expect(closes.map(\.counts.counted) == [0, 1, 1, 0, 0])
    #expect(closes.map(\.counts.missed) == [1, 0, 0, 1, 2])
    #expect(await fixture.balance(of: "b")?.points == 25)
    #expect(await fixture.balance(of: "b")?.streak.longest == 2)
    #expect(try await fixture.account("b").boundaryDay.description == "2026-11-21")
    #expect(await fixture.missingCount() == 0)
  }

  @Test func closeTellsItsFigures() async throws {
    let fixture = try await fixture(users: 2)
    try await fixture.inbox("u0 login 2026-11-20T05:00:00Z", "u0 share 2026-11-20T05:10:00Z")
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    let head = fixture.ledger.head
    try await fixture.closeAll()
    let close = try #require(fixture.records.closes.first)
    let counts = close.counts
    #expect([counts.met, counts.notMet, counts.unknown] == [1, 13, 0])
    #expect([counts.counted, counts.missed, counts.streaks, counts.broken] == [1, 1, 2, 1])
    // A share, and the fourth cycle day's background colour.
    #expect([close.points, close.exp, close.coins] == [10, 10, 0])
    #expect(close.head.seq == head.seq)
    #expect(close.tzdata == SchedulerFixture.zones.version)
  }
}
