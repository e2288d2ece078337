import CivilTime
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Newer time zone tables come into use while days are open, and others come, move, leave and return: a closed day keeps its
/// boundaries, everybody's every day is closed once, and nobody who was there every day loses a streak.
@Suite(.offThePool) struct ReplacedTablesTests {
  /// Zones by the footer that each generation of the tables has for them; a name without one has vanished.
  private final class Tables: ZoneSource {
    let generation = Lock(0)
    private let footers: [[String: String]]

    init(_ footers: [String: String]...) { self.footers = footers }

    init(_ footers: [[String: String]]) { self.footers = footers }

    var version: String { "\(generation.withLock { $0 })" }

    func zone(named name: String) throws(ZoneError) -> Zone {
      guard let footer = footers[generation.withLock { $0 }][name] else {
        throw ZoneError(name: name, what: "there is no such file")
      }
      do {
        return try Zone(name: name, tzif: TZifBuilder(footer: footer).bytes)
      } catch {
        throw ZoneError(name: name, what: "\(error)")
      }
    }
  }

  private func replaceTables(_ tables: Tables, of fixture: SchedulerFixture) {
    tables.generation.withLock { $0 += 1 }
    fixture.restart()
  }

  /// A zone whose days begin an hour later by the newer tables.
  private static func later() -> Tables {
    Tables(
      ["Test/West": "AAA-1", "Asia/Tokyo": "JST-9"], ["Test/West": "AAA0", "Asia/Tokyo": "JST-9"])
  }

  private func day(_ day: Int, _ time: String, _ fixture: SchedulerFixture) throws {
    try fixture.set("2026-11-\(day < 10 ? "0" : "")\(day)T\(time):00Z")
  }

  /// The days of November 2026 that are closed in a zone, in the order of their closes.
  private func days(of closes: [CloseRecord], in zone: String) -> [Int] {
    closes.filter { $0.zone == zone }.map { Int($0.window.day.number - Self.november(0).number) }
  }

  private static func november(_ day: Int32) -> Day {
    // 2026-11-01 is day 20,758 from 1970-01-01.
    Day(number: 20_757 + day)
  }

  /// Somebody else comes with a first day that is closed already.
  @Test func whoComesLaterClosesNoDayOfOthersAgain() async throws {
    let tables = Self.later()
    let fixture = try await SchedulerFixture(at: "2026-11-01T10:00:00Z", zones: tables)
    try await fixture.hire(#"{"user":"a","timezone":"Test/West"}"#)
    for number in 1...12 {
      try day(number, "12:00", fixture)
      // The 9th began by the older tables: its first hour is no part of the 8th for anybody who had closed that.
      let time = number == 9 ? "08T23:30" : "\(number < 10 ? "0" : "")\(number)T11:00"
      try await fixture.inbox("a login 2026-11-\(time):00Z")
      if number == 9 {
        try await fixture.seeNothing()
        try await fixture.closeAll()
        replaceTables(tables, of: fixture)
      }
      if number == 10 {
        try await fixture.hire(#"{"user":"b","timezone":"Test/West","since":"2026-11-08"}"#)
      }
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    #expect(await fixture.balance(of: "a")?.streak.length == 12)
    // The 8th of b alone, then the 9th of both.
    #expect(days(of: fixture.records.closes, in: "Test/West") == Array(1...8) + Array(8...11))
    #expect(fixture.records.closes.map(\.users).dropFirst(8).first == 1)
    #expect(await fixture.missingCount() == 0)
  }

  /// The newer tables come before the zone's first close, also with a move that is to take effect.
  @Test(arguments: [nil, "Test/West", "Asia/Tokyo"])
  func theFirstCloseMayBeByNewerTables(move: String?) async throws {
    let tables = Tables(
      ["Test/Old": "AAA-1", "Test/West": "AAA-1", "Asia/Tokyo": "JST-9"],
      ["Test/Old": "AAA0", "Test/West": "AAA0", "Asia/Tokyo": "JST-9"])
    let fixture = try await SchedulerFixture(at: "2026-11-01T10:00:00Z", zones: tables)
    try await fixture.hire(#"{"user":"a","timezone":"Test/Old"}"#)
    try await fixture.inbox("a login 2026-11-01T09:00:00Z")
    if let move { try await fixture.hire(#"{"user":"a","timezone":"\#(move)"}"#) }
    replaceTables(tables, of: fixture)
    for number in 2...6 {
      try day(number, "12:00", fixture)
      try await fixture.seeNothing()
      try await fixture.closeAll()
      try await fixture.closeAll()
    }
    #expect(fixture.records.doubledCloses == [])
    #expect(fixture.records.streaks.contains { $0.what == .broken })
    #expect(try await fixture.account("a").boundaryDay >= Self.november(5))
  }

  /// A sign-up while yesterday is open says nothing of the running day when the newer tables come before the close.
  @Test func theRunningDayStaysOpen() async throws {
    let tables = Self.later()
    let fixture = try await SchedulerFixture(at: "2026-11-08T10:00:00Z", zones: tables)
    try await fixture.hire(#"{"user":"a","timezone":"Test/West"}"#)
    try day(10, "06:00", fixture)
    try await fixture.hire(#"{"user":"b","timezone":"Test/West"}"#)
    replaceTables(tables, of: fixture)
    try await fixture.seeNothing()
    try await fixture.closeAll()
    #expect(days(of: fixture.records.closes, in: "Test/West") == [8, 9])
    #expect(try await fixture.account("b").boundaryDay < Self.november(10))
    try await fixture.inbox("b login 2026-11-10T05:30:00Z")
    #expect(fixture.records.grants.map(\.key) == ["b/2026-11-10/login"])
  }

  /// A zone's name vanishes: a move to its other name takes effect, as does a removal with an import, and nothing is lost.
  @Test(arguments: [false, true]) func whoseZoneHasVanishedCanBeMoved(isRemoved: Bool) async throws
  {
    let both = ["Test/Pacific": "PST8", "Test/Angeles": "PST8", "Asia/Tokyo": "JST-9"]
    let tables = Tables(both, both.filter { $0.key != "Test/Pacific" })
    let fixture = try await SchedulerFixture(at: "2026-11-01T20:00:00Z", zones: tables)
    try await fixture.hire(
      #"{"user":"a","timezone":"Test/Pacific"}"#, #"{"user":"b","timezone":"Test/Angeles"}"#)
    for number in 1...9 {
      try day(number, "20:00", fixture)
      if number == 4 { replaceTables(tables, of: fixture) }
      if number == 6 {
        if isRemoved {
          #expect(
            try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
        }
        try await fixture.hire(#"{"user":"a","timezone":"Test/Angeles"}"#)
      }
      let time = "2026-11-0\(number)T19:00:00Z"
      try await fixture.inbox("a login \(time)", "b login \(time)")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    for user in ["a", "b"] {
      #expect(await fixture.balance(of: user)?.streak.length == 9, "\(user)")
      #expect(try await fixture.account(user).boundaryDay == Self.november(8))
    }
    #expect(await fixture.missingCount() == 0)
  }

  /// Left at the very instant at which a day began: that day's grants stay, also after a return.
  @Test(arguments: ["00:00", "00:01"]) func whoLeavesAtMidnightKeepsTheDay(time: String)
    async throws
  {
    let fixture = try await SchedulerFixture(at: "2026-11-03T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    try await fixture.inbox("a login 2026-11-03T04:00:00Z")
    try day(4, time, fixture)
    try await fixture.inbox("a login 2026-11-04T00:00:00Z")
    #expect(try await RosterImport(fixture.writer).remove(user: "a", reason: "left", by: "tests"))
    for number in 5...7 {
      try day(number, "06:00", fixture)
      if number == 6 {
        try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","since":"2026-11-03"}"#)
      }
      if number >= 6 { try await fixture.inbox("a login 2026-11-0\(number)T05:00:00Z") }
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    #expect(await fixture.balance(of: "a")?.streak.length == 4)
    #expect(days(of: fixture.records.closes, in: "Etc/UTC") == [3, 4, 6])
    #expect(await fixture.missingCount() == 0)
  }

  /// Random lives: three zones, whose rules change and whose names vanish, with users who come, move, leave and return.
  @Test(arguments: 1...40) func nobodyLosesADay(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let tables = Tables(Self.randomFooters(&random))
    let fixture = try await SchedulerFixture(at: "2026-11-02T12:00:00Z", zones: tables)
    let names = ["Test/A", "Test/B", "Test/C"]
    try await fixture.hire(
      #"{"user":"idle","timezone":"Test/A"}"#,
      #"{"user":"u0","timezone":"\#(random.pick(names))"}"#,
      #"{"user":"u1","timezone":"\#(random.pick(names))"}"#)
    var present: Set = ["idle", "u0", "u1"]
    let start = fixture.clock.now()
    let end = start.adding(seconds: 20 * 86_400)
    var step = 0
    while fixture.clock.now() < end {
      fixture.clock.set(fixture.clock.now().adding(seconds: random.number(in: 3_000...9_000)))
      step += 1
      let now = fixture.clock.now()
      if random.chance(0.04), tables.generation.withLock({ $0 }) < 3 {
        replaceTables(tables, of: fixture)
      }
      if random.chance(0.1) {
        // u0 and u1 are there from beginning to end; the others as they like.
        let user = random.pick(["u0", "u1", "u2", "u3", "u4"])
        if present.contains(user), !["u0", "u1"].contains(user), random.chance(0.5) {
          _ = try await RosterImport(fixture.writer).remove(user: user, reason: "left", by: "tests")
          present.remove(user)
        } else {
          let since = random.chance(0.3) ? ",\"since\":\"2026-11-03\"" : ""
          let line = "{\"user\":\"\(user)\",\"timezone\":\"\(random.pick(names))\"\(since)}"
          // Into a zone that has vanished nobody is let.
          if (try? await fixture.hire(line)) != nil { present.insert(user) }
        }
      }
      for user in present.sorted() where user != "idle" {
        try await fixture.inbox("\(user) login \(now)")
      }
      if random.chance(0.4) {
        try await fixture.seeNothing()
        try await fixture.closeAll()
      }
    }
    // Whoever is in a zone that has vanished is moved out of it.
    for user in present {
      _ = try? await fixture.hire("{\"user\":\"\(user)\",\"timezone\":\"Test/A\"}")
    }
    for _ in 1...4 {
      fixture.clock.set(fixture.clock.now().adding(seconds: 43_200))
      for user in present.sorted() where user != "idle" {
        try await fixture.inbox("\(user) login \(fixture.clock.now())")
      }
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    for user in ["u0", "u1"] {
      let broken = fixture.records.streaks.filter { $0.user == user && $0.what == .broken }
      #expect(broken.isEmpty, "\(user), seed \(seed)")
      let streak = try #require(await fixture.balance(of: user)?.streak)
      #expect(streak.length >= 17, "\(user), seed \(seed)")
    }
    for user in present {
      let age = fixture.clock.now().seconds(since: try await fixture.account(user).boundary)
      #expect(age < 48 * 3_600, "\(user) is forgotten, seed \(seed)")
    }
    #expect(await fixture.missingCount() == 0, "seed \(seed)")
    #expect(fixture.records.doubledKeys.isEmpty, "seed \(seed)")
    let folded = fixture.foldedState
    #expect(
      await fixture.writer.read { state in
        state.ledger.accounts.indices.allSatisfy {
          state.ledger.accounts[$0] == folded.accounts[$0]
        }
      })
  }

  private static func randomFooters(_ random: inout SplitMix64) -> [[String: String]] {
    var offsets = ["Test/A": 0, "Test/B": 0, "Test/C": 0]
    for name in offsets.keys.sorted() { offsets[name] = Int(random.number(in: -11...13)) * 60 }
    return (0..<4).map { generation in
      var footers = ["Asia/Tokyo": "JST-9"]
      for name in offsets.keys.sorted() {
        if generation > 0, random.chance(0.6) {
          offsets[name, default: 0] += random.pick([-60, 60, 30, -30, 120, -180])
        }
        // A POSIX rule counts westwards.
        let minutes = -(offsets[name] ?? 0)
        let text =
          "\(minutes < 0 ? "-" : "")\(abs(minutes) / 60):\(abs(minutes) % 60 == 0 ? "00" : "30")"
        if name == "Test/A" || generation == 0 || !random.chance(0.25) {
          footers[name] = "AAA\(text)"
        }
      }
      return footers
    }
  }
}
