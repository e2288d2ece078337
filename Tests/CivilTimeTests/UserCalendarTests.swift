import CivilTime
import Foundations
import TestSupport
import Testing

@Suite(.offThePool) struct UserCalendarTests {
  /// A window in few words: day, start, end, zone, and whether it is short.
  private struct Expected: Equatable {
    let day: String
    let start: String
    let end: String
    let zone: String
    let isShortened: Bool

    init(_ day: String, _ start: String, _ end: String, _ zone: String, short: Bool = false) {
      (self.day, self.start, self.end, self.zone, isShortened) = (day, start, end, zone, short)
    }

    init(_ window: UserWindow) {
      self.init(
        window.day.description, window.start.description, window.end.description, window.zone,
        short: window.isShortened)
    }
  }

  private static let tokyo = "Asia/Tokyo"
  private static let newYork = "America/New_York"
  private static let london = "Europe/London"

  /// The first `count` windows of a user who starts on `day` in `zone`.
  private func windows(
    from day: String, in zone: String, changes: [(String, String)], count: Int
  ) throws -> [Expected] {
    let changes = try changes.map { ZoneChange(at: try TestTables.instant($0.0), zone: $0.1) }
    let midnight = try InstantText.parse("\(day)T00:00:00", naiveZone: TestTables.zone(zone))
    let first = UserCalendar.firstWindow(
      containing: midnight.instant, in: try TestTables.zone(zone))
    var windows = [
      try UserCalendar.extended(first, changes: changes, zones: TestTables.zones)
    ]
    while windows.count < count {
      windows.append(try next(after: windows[windows.count - 1], changes))
    }
    return windows.map(Expected.init)
  }

  private func next(after window: UserWindow, _ changes: [ZoneChange]) throws -> UserWindow {
    try UserCalendar.next(
      afterDay: window.day, endingAt: window.end, currentZone: window.zone, changes: changes,
      zones: TestTables.zones)
  }

  @Test func aChangeWestwardExtendsTheRunningDay() throws {
    let windows = try windows(
      from: "2026-11-20", in: Self.tokyo, changes: [("2026-11-20T03:00:00Z", Self.newYork)],
      count: 2)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-21T05:00:00Z", Self.newYork),
        Expected("2026-11-21", "2026-11-21T05:00:00Z", "2026-11-22T05:00:00Z", Self.newYork),
      ])
  }

  @Test func aChangeEastwardShortensTheNextDay() throws {
    let windows = try windows(
      from: "2026-11-20", in: Self.newYork, changes: [("2026-11-20T12:00:00Z", Self.tokyo)],
      count: 3)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-20T05:00:00Z", "2026-11-21T05:00:00Z", Self.newYork),
        Expected(
          "2026-11-21", "2026-11-21T05:00:00Z", "2026-11-21T15:00:00Z", Self.tokyo, short: true),
        Expected("2026-11-22", "2026-11-21T15:00:00Z", "2026-11-22T15:00:00Z", Self.tokyo),
      ])
  }

  @Test func overTheDateLineEastToWestADateIsSkipped() throws {
    let windows = try windows(
      from: "2026-11-20", in: "Etc/GMT+12",
      changes: [("2026-11-20T20:00:00Z", "Pacific/Kiritimati")], count: 3)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z", "Etc/GMT+12"),
        Expected(
          "2026-11-22", "2026-11-21T12:00:00Z", "2026-11-22T10:00:00Z", "Pacific/Kiritimati",
          short: true),
        Expected(
          "2026-11-23", "2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z", "Pacific/Kiritimati"),
      ])
  }

  @Test func overTheDateLineWestToEastTheDayIsExtended() throws {
    let windows = try windows(
      from: "2026-11-20", in: "Pacific/Kiritimati",
      changes: [("2026-11-20T05:00:00Z", "Etc/GMT+12")], count: 2)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-19T10:00:00Z", "2026-11-21T12:00:00Z", "Etc/GMT+12"),
        Expected("2026-11-21", "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z", "Etc/GMT+12"),
      ])
  }

  @Test func ofSeveralChangesTheLastCounts() throws {
    let windows = try windows(
      from: "2026-11-20", in: Self.tokyo,
      changes: [
        ("2026-11-20T03:00:00Z", Self.newYork), ("2026-11-20T04:00:00Z", Self.tokyo),
      ], count: 1)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-20T15:00:00Z", Self.tokyo)
      ])
  }

  @Test func aChangeAtTheBoundaryWaitsForTheNext() throws {
    let windows = try windows(
      from: "2026-11-20", in: Self.tokyo, changes: [("2026-11-20T15:00:00Z", Self.newYork)],
      count: 2)
    #expect(
      windows == [
        Expected("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-20T15:00:00Z", Self.tokyo),
        Expected("2026-11-21", "2026-11-20T15:00:00Z", "2026-11-22T05:00:00Z", Self.newYork),
      ])
  }

  @Test func aChangeDuringTheExtensionCounts() throws {
    let changes = [("2026-11-20T03:00:00Z", Self.newYork), ("2026-11-21T01:00:00Z", Self.london)]
    let ends = try windows(from: "2026-11-20", in: Self.tokyo, changes: changes, count: 2)
    #expect(
      ends == [
        Expected("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-21T05:00:00Z", Self.newYork),
        Expected(
          "2026-11-21", "2026-11-21T05:00:00Z", "2026-11-22T00:00:00Z", Self.london, short: true),
      ])
    let further = [("2026-11-20T03:00:00Z", Self.london), ("2026-11-20T20:00:00Z", Self.newYork)]
    let extended = try windows(from: "2026-11-20", in: Self.tokyo, changes: further, count: 1)
    #expect(
      extended == [
        Expected("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-21T05:00:00Z", Self.newYork)
      ])
  }

  @Test func aClosedDateIsNotOpenedAgainByNewerRules() throws {
    let boundary = try TestTables.instant("2026-11-20T14:00:00Z")
    let window = try UserCalendar.next(
      afterDay: try #require(Day("2026-11-20")), endingAt: boundary, currentZone: Self.tokyo,
      changes: [], zones: TestTables.zones)
    #expect(
      Expected(window)
        == Expected("2026-11-21", "2026-11-20T14:00:00Z", "2026-11-21T15:00:00Z", Self.tokyo))
  }

  @Test func anUnknownZoneIsAnError() throws {
    let start = try TestTables.instant("2026-11-20T03:00:00Z")
    let first = UserCalendar.firstWindow(
      containing: start, in: try TestTables.zone(Self.tokyo))
    #expect(throws: ZoneError.self) {
      try UserCalendar.extended(
        first, changes: [ZoneChange(at: start, zone: "Asia/Nowhere")], zones: TestTables.zones)
    }
    #expect(throws: ZoneError.self) {
      try UserCalendar.next(
        afterDay: first.day, endingAt: first.end, currentZone: "Asia/Nowhere", changes: [],
        zones: TestTables.zones)
    }
  }

  @Test func aDateThatDoesNotExistIsNoFirstDay() throws {
    let day = try #require(Day("2011-12-30"))
    let apia = try TestTables.zone("Pacific/Apia")
    #expect(UserCalendar.firstWindow(on: day, in: apia) == nil)
    let next = try #require(UserCalendar.firstWindow(on: day.adding(days: 1), in: apia))
    #expect(UserCalendar.firstWindow(containing: next.start, in: apia) == next)
  }

  @Test(arguments: 0..<300)
  func anyHistoryOfChangesTilesTimeAndGivesNoDayTwice(round: Int) throws {
    let seed = 0x5EED_1000 + UInt64(round)
    var random = SplitMix64(seed: seed)
    let zones = [
      "Pacific/Kiritimati", "Etc/GMT+12", "Pacific/Apia", Self.tokyo, Self.newYork, Self.london,
      "America/St_Johns", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kathmandu",
    ]
    // Around Apia's lost day, or around a change of clocks.
    let origin = try TestTables.instant(
      round % 2 == 0 ? "2011-12-20T00:00:00Z" : "2026-10-20T00:00:00Z")
    var changes: [ZoneChange] = []
    var at = origin
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      at = at.adding(seconds: Int64.random(in: 1...150_000, using: &random))
      changes.append(ZoneChange(at: at, zone: zones.randomElement(using: &random) ?? Self.tokyo))
    }
    let home = try TestTables.zone(zones.randomElement(using: &random) ?? Self.tokyo)
    var window = try UserCalendar.extended(
      UserCalendar.firstWindow(containing: origin, in: home), changes: changes,
      zones: TestTables.zones)
    let start = window.start
    for count in 1...60 {
      let zone = try TestTables.zone(window.zone)
      // The window ends where its zone reaches a later date, not before.
      #expect(zone.window(containing: window.end).day > window.day, "seed \(seed), \(window)")
      let last = window.end.adding(seconds: -1)
      #expect(zone.window(containing: last).day <= window.day, "seed \(seed), \(window)")
      // Nobody has more dates than days, but for the one that travelling east brings forward.
      let seconds = window.end.seconds - start.seconds
      #expect(Int64(count) <= (seconds + 86_399) / 86_400 + 1, "seed \(seed), \(window)")
      let next = try next(after: window, changes)
      #expect(next.start == window.end && next.day > window.day, "seed \(seed), \(next)")
      #expect(next.start < next.end, "seed \(seed), \(next)")
      // What becomes known later cannot change it.
      let known = changes.filter { $0.at < next.end }
      #expect(try self.next(after: window, known) == next, "seed \(seed), \(next)")
      window = next
    }
  }
}
