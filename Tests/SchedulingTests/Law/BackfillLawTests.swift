import CivilTime
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// A backfill brings a user who was judged too early to what the law gives.
@Suite(.offThePool) struct BackfillLawTests {
  private static let onTime = Telling.Manner(
    closesDaily: true, restarts: 0, extraLooks: 0, isInboxHasty: false)
  private static let late = Telling.Manner(
    closesDaily: true, restarts: 2, extraLooks: 10, isInboxHasty: false, isLate: true)

  private func lives(_ seed: Int) throws -> [TrueLife] {
    try (0..<5).map { try TrueLife(index: $0, seed: UInt64(seed)) }
  }

  private func outcome(_ office: Office, _ lives: [TrueLife]) async -> Outcome {
    var outcome = Outcome(balances: [], net: office.records.net)
    for life in lives { outcome.balances.append(await office.balance(of: life.id)) }
    return outcome
  }

  @Test(arguments: 0..<24)
  func withClawBackTheUserHasWhatTheLawGives(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    let office = try await Telling.tell(lives, Self.late, seed: UInt64(seed)).office
    try await office.backfill(plan: "p", clawsBack: true)
    #expect(office.records.doubledKeys == [], "seed \(seed)")
    let differences = await outcome(office, lives).differences(from: right)
    #expect(differences == [], "seed \(seed)")
    // The book that is folded from the records alone agrees.
    let kept = BookSnapshot.write(await office.clerk.snapshot().book)
    #expect(BookSnapshot.write(office.foldedBook) == kept, "seed \(seed)")
    let more = try await office.backfills(plan: "q", clawsBack: true).flatMap(\.records)
    #expect(more == [], "seed \(seed)")
  }

  /// The order of evidence, closes and backfills makes no difference.
  @Test(arguments: 100..<124)
  func backfillsInBetweenChangeNothing(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    var manner = Self.late
    manner.backfills = 1 + seed % 6
    let office = try await Telling.tell(lives, manner, seed: UInt64(seed)).office
    try await office.backfill(plan: "last", clawsBack: true)
    let differences = await outcome(office, lives).differences(from: right)
    #expect(differences == [], "seed \(seed)")
    #expect(office.records.doubledKeys == [], "seed \(seed)")
  }

  @Test(arguments: 200..<224)
  func withoutClawBackNobodyLosesAnythingAndNobodyGetsMoreThanThat(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    let office = try await Telling.tell(lives, Self.late, seed: UInt64(seed)).office
    let before = await outcome(office, lives)
    let found = try await office.backfills(plan: "p", clawsBack: false)
    _ = try await office.clerk.append(found)
    let after = await outcome(office, lives)
    for (index, life) in lives.enumerated() {
      let old = try #require(before.balances[index])
      let new = try #require(after.balances[index])
      let place = "seed \(seed), \(life.id)"
      #expect(new.points >= old.points && new.coins >= old.coins, "\(place)")
      #expect(Set(new.items).isSuperset(of: old.items), "\(place)")
      let waiver = found[index].records.compactMap { body -> GrantRecord? in
        if case .grant(let grant) = body, grant.mission == "waived" { grant } else { nil }
      }
      #expect(waiver.count <= 1, "\(place)")
      // What is waived is just what would be lost: the sum is then what it was.
      if let waived = waiver.first?.reward, waived.points > 0 {
        #expect(new.points == old.points, "\(place)")
      }
    }
    _ = try await office.clerk.judgeOpenDays(of: lives.indices.map { $0 })
    for (index, balance) in await outcome(office, lives).balances.enumerated() {
      let balance = try #require(balance)
      let law = try #require(right.balances[index])
      let waived = office.records.net["\(lives[index].id)/waived/p"]
      #expect(balance.points == law.points + (waived?.points ?? 0), "seed \(seed)")
      #expect(balance.coins == law.coins + (waived?.coins ?? 0), "seed \(seed)")
      #expect(balance.streak == law.streak, "seed \(seed)")
      #expect(Set(balance.items) == Set(law.items).union(waived?.items ?? []), "seed \(seed)")
    }
  }

  @Test func daysOutsideTheRangeStayWhatTheyWereJudged() async throws {
    let office = try await Office(at: "2026-11-10T00:00:00Z")
    try await office.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...14 {
      try office.set("2026-11-\(day + 1)T00:20:00Z")
      try await office.seeNothing()
      try await office.closeAll()
    }
    try office.set("2026-11-15T12:00:00Z")
    try await office.inbox(
      "ann comment 2026-11-11T12:00:00Z", "ann share 2026-11-13T12:00:00Z",
      "ann comment 2026-11-13T13:00:00Z")
    let third = try #require(Day(year: 2026, month: 11, day: 13))
    try await office.backfill(plan: "p", clawsBack: false, range: third...third)
    #expect(await office.balance(of: "ann")?.points == 25 + 10 + 5)
    #expect(
      office.records.net.keys.sorted() == [
        "ann/2026-11-13/comment", "ann/2026-11-13/login", "ann/2026-11-13/share",
      ])
    // What was brought in stays in when another range follows.
    let first = try #require(Day(year: 2026, month: 11, day: 11))
    try await office.backfill(plan: "q", clawsBack: true, range: first...first)
    #expect(await office.balance(of: "ann")?.points == 25 + 10 + 5 + 25 + 5)
  }

  @Test func anExcusedDayHoldsTheStreakAfterwards() async throws {
    let office = try await Office(at: "2026-11-10T00:00:00Z")
    try await office.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...13 {
      if day != 12 { try await office.inbox("ann comment 2026-11-\(day)T00:00:00Z") }
      try office.set("2026-11-\(day + 1)T00:20:00Z")
      try await office.seeNothing()
      try await office.closeAll()
    }
    #expect(await office.balance(of: "ann")?.streak.length == 1)
    let day = try #require(Day(year: 2026, month: 11, day: 12))
    _ = try await office.clerk.excuse(
      ExcuseRecord(from: day, to: day, reason: "our outage", actor: "tester"))
    try await office.backfill(plan: "p", clawsBack: false, range: day...day)
    let balance = await office.balance(of: "ann")
    #expect(balance?.streak.length == 3 && balance?.streak.cycleDay == 3)
    // 25, a colour, and the third day's 50 instead of the first day's 25 that it was; three comments.
    #expect(balance?.points == 90)
  }

  /// A day that closed without a streak has no line of its own; an excuse for it and for the day that broke the streak
  /// brings the streak back all the same.
  @Test func excusesForABreakAndTheDaysAfterItBringTheStreakBack() async throws {
    let office = try await Office(at: "2026-11-10T00:00:00Z")
    try await office.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...15 {
      if day < 12 { try await office.inbox("ann comment 2026-11-\(day)T00:00:00Z") }
      try office.set("2026-11-\(day + 1)T00:20:00Z")
      try await office.seeNothing()
      try await office.closeAll()
    }
    #expect(await office.balance(of: "ann")?.streak.length == 0)
    let days = try #require(Day(year: 2026, month: 11, day: 12))
    let last = try #require(Day(year: 2026, month: 11, day: 15))
    _ = try await office.clerk.excuse(
      ExcuseRecord(from: days, to: last, reason: "our outage", actor: "tester"))
    try await office.backfill(plan: "p", clawsBack: false, range: days...last)
    let balance = await office.balance(of: "ann")
    #expect(balance?.streak.length == 2 && balance?.streak.cycleDay == 2)
    // An audit, which knows only what was brought in, agrees.
    let none = BackfillTerms.noDay
    #expect(
      try await office.backfills(plan: "q", clawsBack: true, range: none).flatMap(\.records) == [])
    #expect(try await office.backfills(plan: "r", clawsBack: true).flatMap(\.records) == [])
    // The next day goes on from there.
    try office.set("2026-11-16T10:00:00Z")
    try await office.inbox("ann comment 2026-11-16T09:00:00Z")
    #expect(await office.balance(of: "ann")?.streak.length == 3)
  }
}
