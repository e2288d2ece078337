import CivilTime
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// A thousand users who change zones for a year: nobody wins a day, nobody loses a streak by it.
@Suite(.offThePool) struct ZoneHistoryTests {
  private static let year: Int64 = 365 * 86_400

  /// The ways in which somebody moves about.
  enum Manner: CaseIterable, Sendable {
    /// Anywhere, at any time, sometimes several times an hour.
    case anyhow
    /// Over the date line and back, each time the day is old enough to hope for another.
    case backAndForth
    /// Ever eastwards, then back over the date line.
    case eastwards
    /// Several times a day.
    case restless
  }

  private static let ring = [
    "Etc/GMT+12", "Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage",
    "America/Los_Angeles", "America/New_York", "America/St_Johns", "Atlantic/Azores", "Etc/UTC",
    "Europe/Berlin", "Africa/Cairo", "Asia/Tehran", "Asia/Kathmandu", "Asia/Tokyo",
    "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati",
  ]

  private static func changes(
    _ manner: Manner, from start: Instant, _ random: inout SplitMix64
  ) -> [ZoneChange] {
    var changes: [ZoneChange] = []
    var at = start
    var place = Int(random.number(in: 0...Int64(ring.count - 1)))
    while true {
      switch manner {
      case .anyhow:
        at = at.adding(seconds: random.number(in: random.chance(0.3) ? 1...3_600 : 1...1_000_000))
        place = Int(random.number(in: 0...Int64(ring.count - 1)))
      case .backAndForth:
        at = at.adding(seconds: random.number(in: 36_000...100_000))
        place = place < ring.count / 2 ? ring.count - 1 : Int(random.number(in: 0...1))
      case .eastwards:
        at = at.adding(seconds: random.number(in: 10_000...200_000))
        place = (place + Int(random.number(in: 1...4))) % ring.count
      case .restless:
        at = at.adding(seconds: random.number(in: 600...30_000))
        place = Int(random.number(in: 0...Int64(ring.count - 1)))
      }
      if at.seconds(since: start) >= year { return changes }
      changes.append(ZoneChange(at: at, zone: ring[place]))
    }
  }

  /// What is wrong with one history, and how many of its windows are short.
  private func walk(seed: UInt64) throws -> (wrong: [String], windows: Int, short: Int) {
    var random = SplitMix64(seed: seed, 1_000)
    let manner = Manner.allCases[Int(seed) % Manner.allCases.count]
    // Years with Apia's lost day, and years to come.
    let start = try SchedulerFixture.instant(
      seed % 5 == 0 ? "2011-06-01T00:00:00Z" : "2026-06-01T00:00:00Z")
    let changes = Self.changes(manner, from: start, &random)
    let home = try SchedulerFixture.zones.zone(named: random.pick(Self.ring))
    var window = try UserCalendar.extended(
      UserCalendar.firstWindow(containing: start, in: home), changes: changes,
      zones: SchedulerFixture.zones)
    let first = window.start
    var (wrong, count, short) = ([String](), 1, 0)
    while window.end.seconds(since: start) < Self.year {
      let next = try UserCalendar.next(
        afterDay: window.day, endingAt: window.end, currentZone: window.zone, changes: changes,
        zones: SchedulerFixture.zones)
      if next.start != window.end || next.end <= next.start {
        wrong.append("\(next.day) is \(next.start) to \(next.end) after \(window.end)")
        break
      }
      if next.day <= window.day { wrong.append("\(next.day) comes after \(window.day)") }
      count += 1
      short += next.isShortened ? 1 : 0
      // Whoever is there at any time of each date of the zone, is there within each window that is not short: no change
      // alone can break a streak.
      let zone = try SchedulerFixture.zones.zone(named: next.zone)
      let whole = zone.window(of: next.day)
      let holdsTheDate = whole.map { next.start <= $0.start && $0.end == next.end } ?? false
      if holdsTheDate == next.isShortened {
        wrong.append("\(next.day) in \(next.zone) is \(next.isShortened ? "" : "not ")short")
      }
      // The zone that counts is the last that was known before the end, unless its change made no later date.
      let known = changes.last { $0.at < next.end }?.zone ?? home.name
      if known != next.zone, try zoneDate(known, at: next.end) <= next.day {
        wrong.append("\(next.day) ends in \(next.zone), and \(known) was known")
      }
      // Nobody has more dates than days, but for those that travelling east brings forward.
      let days = (next.end.seconds(since: first) + 86_399) / 86_400
      if Int64(count) > days + 1 { wrong.append("\(count) dates in \(days) days at \(next.day)") }
      window = next
    }
    return (wrong, count, short)
  }

  private func zoneDate(_ zone: String, at instant: Instant) throws -> Day {
    try SchedulerFixture.zones.zone(named: zone).window(containing: instant).day
  }

  @Test(arguments: 0..<20) func aThousandHistories(batch: UInt64) throws {
    var short = 0
    for seed in batch * 50..<(batch + 1) * 50 {
      let year = try walk(seed: seed)
      #expect(year.wrong == [], "seed \(seed)")
      #expect(year.windows > 150, "seed \(seed)")
      short += year.short
    }
    // The histories do what they are made for.
    #expect(short > 500)
  }

  /// A year of somebody who is there at least every twenty hours, and moves; days are closed every week or so.
  private func live(seed: UInt64) async throws -> SchedulerFixture {
    var random = SplitMix64(seed: seed, 2_000)
    let manner = Manner.allCases[Int(seed) % Manner.allCases.count]
    let start = try SchedulerFixture.instant("2026-06-01T00:00:00Z")
    let end = start.adding(seconds: Self.year)
    var moves = Self.changes(manner, from: start, &random)[...]
    let fixture = try await SchedulerFixture(at: start)
    try await fixture.hire(#"{"user":"a","timezone":"\#(random.pick(Self.ring))"}"#)
    var now = start
    var nextClose = start
    while now < end {
      let deed = now.adding(seconds: random.number(in: 30_000...72_000))
      while let move = moves.first, move.at <= deed {
        moves = moves.dropFirst()
        fixture.clock.set(move.at)
        try await fixture.hire(#"{"user":"a","timezone":"\#(move.zone)"}"#)
      }
      now = deed
      fixture.clock.set(now)
      try await fixture.inbox("a login \(now)")
      if now >= nextClose {
        nextClose = now.adding(seconds: random.number(in: 86_400...700_000))
        try await fixture.seeNothing()
        try await fixture.closeAll()
      }
    }
    return fixture
  }

  @Test(arguments: Seeds.some(25, of: 0..<100)) func aYearOfGrants(seed: Int) async throws {
    let fixture = try await live(seed: UInt64(seed))
    let records = fixture.records
    #expect(records.doubledKeys == [], "seed \(seed)")
    let logins = records.grants.filter { $0.mission == "login" }.sorted {
      $0.effective < $1.effective
    }
    #expect(zip(logins, logins.dropFirst()).allSatisfy { $0.day < $1.day }, "seed \(seed)")
    #expect(logins.count > 150, "seed \(seed)")
    #expect(logins.count <= 368, "seed \(seed)")
    // Only days that a change made short may have gone by without anything; they hold the streak.
    #expect(records.streaks.filter { $0.what != .held } == [], "seed \(seed)")
    // The first day began before the user was known.
    let gaps = records.unknowns.flatMap(\.gaps).filter { $0.cause != "user not known yet" }
    #expect(gaps == [], "seed \(seed)")
    let streak = try #require(await fixture.balance(of: "a")).streak
    #expect(Int(streak.length) == logins.count, "seed \(seed)")
    let closed = records.closes.map { "\($0.zone)/\($0.window.day)" }
    #expect(Set(closed).count == closed.count, "seed \(seed)")
    #expect(await fixture.missingCount() == 0, "seed \(seed)")
  }
}
