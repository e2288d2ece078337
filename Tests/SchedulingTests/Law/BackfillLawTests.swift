import CivilTime
import Engine
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

  private func outcome(_ fixture: SchedulerFixture, _ lives: [TrueLife]) async -> Outcome {
    var outcome = Outcome(balances: [], net: fixture.records.net)
    for life in lives { outcome.balances.append(await fixture.balance(of: life.id)) }
    return outcome
  }

  @Test(arguments: Seeds.some(6, of: 0..<24))
  func withClawBackTheUserHasWhatTheLawGives(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    let fixture = try await Telling.tell(lives, Self.late, seed: UInt64(seed)).fixture
    try await fixture.backfill(plan: "p", clawsBack: true)
    #expect(fixture.records.doubledKeys == [], "seed \(seed)")
    let differences = await outcome(fixture, lives).differences(from: right)
    #expect(differences == [], "seed \(seed)")
    // The book that is folded from the records alone agrees.
    let kept = try StateSnapshot.write(await fixture.writer.snapshot().state)
    #expect(StateSnapshot.write(fixture.foldedState) == kept, "seed \(seed)")
    let more = await fixture.plans(plan: "q", clawsBack: true).flatMap(\.records)
    #expect(more == [], "seed \(seed)")
  }

  /// The order of evidence, closes and backfills makes no difference.
  @Test(arguments: Seeds.some(6, of: 100..<124))
  func backfillsInBetweenChangeNothing(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    var manner = Self.late
    manner.backfills = 1 + seed % 6
    let fixture = try await Telling.tell(lives, manner, seed: UInt64(seed)).fixture
    try await fixture.backfill(plan: "last", clawsBack: true)
    let differences = await outcome(fixture, lives).differences(from: right)
    #expect(differences == [], "seed \(seed)")
    #expect(fixture.records.doubledKeys == [], "seed \(seed)")
  }

  @Test(arguments: Seeds.some(6, of: 200..<224))
  func withoutClawBackNobodyLosesAnythingAndNobodyGetsMoreThanThat(seed: Int) async throws {
    let lives = try lives(seed)
    let right = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed)).outcome
    let fixture = try await Telling.tell(lives, Self.late, seed: UInt64(seed)).fixture
    let before = await outcome(fixture, lives)
    let found = await fixture.plans(plan: "p", clawsBack: false)
    _ = try await PlanAppending(fixture.writer).append(found)
    let after = await outcome(fixture, lives)
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
    _ = try await OpenDayEvaluation(fixture.writer).run(over: lives.indices.map { $0 })
    for (index, balance) in await outcome(fixture, lives).balances.enumerated() {
      let balance = try #require(balance)
      let law = try #require(right.balances[index])
      let waived = fixture.records.net["\(lives[index].id)/waived/p"]
      #expect(balance.points == law.points + (waived?.points ?? 0), "seed \(seed)")
      #expect(balance.coins == law.coins + (waived?.coins ?? 0), "seed \(seed)")
      #expect(balance.streak == law.streak, "seed \(seed)")
      #expect(Set(balance.items) == Set(law.items).union(waived?.items ?? []), "seed \(seed)")
    }
  }

  @Test func daysOutsideTheRangeStayWhatTheyWereJudged() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...14 {
      try await fixture.closeDay(day)
    }
    try fixture.set("2026-11-15T12:00:00Z")
    try await fixture.inbox(
      "ann comment 2026-11-11T12:00:00Z", "ann share 2026-11-13T12:00:00Z",
      "ann comment 2026-11-13T13:00:00Z")
    let third = try #require(Day(year: 2026, month: 11, day: 13))
    try await fixture.backfill(plan: "p", clawsBack: false, range: third...third)
    #expect(await fixture.balance(of: "ann")?.points == 25 + 10 + 5)
    #expect(
      fixture.records.net.keys.sorted() == [
        "ann/2026-11-13/comment", "ann/2026-11-13/login", "ann/2026-11-13/share",
      ])
    // What was brought in stays in when another range follows.
    let first = try #require(Day(year: 2026, month: 11, day: 11))
    try await fixture.backfill(plan: "q", clawsBack: true, range: first...first)
    #expect(await fixture.balance(of: "ann")?.points == 25 + 10 + 5 + 25 + 5)
  }

  private func issues(_ fixture: SchedulerFixture, clawsBack: Bool) async -> [String] {
    await fixture.plans(plan: "i", clawsBack: clawsBack).flatMap(\.issues).map {
      "\($0.severity.rawValue) \($0.day): \($0.text)"
    }
  }

  /// One line says what a plan waives or takes in all, and one that it shortens the streak, which no waiver covers.
  @Test func aPlanSaysInOneLineWhatTheUserLoses() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...13 {
      if day != 12 { try await fixture.inbox("ann comment 2026-11-\(day)T00:00:00Z") }
      try await fixture.closeDay(day)
    }
    let missed = try #require(Day(year: 2026, month: 11, day: 12))
    var pardon = ExcuseRecord(from: missed, to: missed, reason: "r", actor: "op")
    try await fixture.writer.append(.excuse(pardon))
    pardon.withdraws = fixture.records.last?.seq
    try await fixture.backfill(plan: "p", clawsBack: false)
    try await fixture.writer.append(.excuse(pardon))
    let shrinks = "warning 2026-11-13: the streak shrinks from 3 to 1, and no waiver covers that"
    let (kept, taken) = (
      await issues(fixture, clawsBack: false), await issues(fixture, clawsBack: true)
    )
    let waiver = "information 2026-11-13: a waiver of 25 points, 25 exp covers what would be lost"
    #expect(kept == [waiver, shrinks])
    #expect(taken == ["warning 2026-11-13: the user loses 25 points, 25 exp", shrinks])
  }

  /// A day that an earlier plan made count is no news of a later one.
  @Test func aPlanMentionsOnlyDaysThatItMakesCount() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...14 {
      if day == 10 { try await fixture.inbox("ann comment 2026-11-10T00:00:00Z") }
      try await fixture.closeDay(day)
    }
    try fixture.set("2026-11-15T12:00:00Z")
    try await fixture.inbox("ann comment 2026-11-11T12:00:00Z")
    #expect(
      await issues(fixture, clawsBack: true) == [
        "information 2026-11-11: the streak was broken; now the day counts (streak length 2)"
      ])
    try await fixture.backfill(plan: "p", clawsBack: true)
    try await fixture.inbox("ann share 2026-11-11T13:00:00Z")
    #expect(await !fixture.plans(plan: "q", clawsBack: true).flatMap(\.records).isEmpty)
    #expect(await issues(fixture, clawsBack: true) == [])
  }

  @Test func anExcusedDayHoldsTheStreakAfterwards() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...13 {
      if day != 12 { try await fixture.inbox("ann comment 2026-11-\(day)T00:00:00Z") }
      try await fixture.closeDay(day)
    }
    #expect(await fixture.balance(of: "ann")?.streak.length == 1)
    let day = try #require(Day(year: 2026, month: 11, day: 12))
    _ = try await fixture.writer.append(
      .excuse(ExcuseRecord(from: day, to: day, reason: "our outage", actor: "tester")))
    try await fixture.backfill(plan: "p", clawsBack: false, range: day...day)
    let balance = await fixture.balance(of: "ann")
    #expect(balance?.streak.length == 3 && balance?.streak.cycleDay == 3)
    // 25, a colour, and the third day's 50 instead of the first day's 25 that it was; three comments.
    #expect(balance?.points == 90)
  }

  /// A day that closed without a streak has no line of its own; a pardon of it and of the day that broke the streak
  /// brings the streak back all the same.
  @Test func excusesForABreakAndTheDaysAfterItBringTheStreakBack() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    for day in 10...15 {
      if day < 12 { try await fixture.inbox("ann comment 2026-11-\(day)T00:00:00Z") }
      try await fixture.closeDay(day)
    }
    #expect(await fixture.balance(of: "ann")?.streak.length == 0)
    let days = try #require(Day(year: 2026, month: 11, day: 12))
    let last = try #require(Day(year: 2026, month: 11, day: 15))
    _ = try await fixture.writer.append(
      .excuse(ExcuseRecord(from: days, to: last, reason: "our outage", actor: "tester")))
    try await fixture.backfill(plan: "p", clawsBack: false, range: days...last)
    let balance = await fixture.balance(of: "ann")
    #expect(balance?.streak.length == 2 && balance?.streak.cycleDay == 2)
    // An audit, which knows only what was brought in, agrees.
    #expect(
      await fixture.plans(plan: "q", clawsBack: true, range: nil).flatMap(\.records) == [])
    #expect(await fixture.plans(plan: "r", clawsBack: true).flatMap(\.records) == [])
    // The next day goes on from there.
    try fixture.set("2026-11-16T10:00:00Z")
    try await fixture.inbox("ann comment 2026-11-16T09:00:00Z")
    #expect(await fixture.balance(of: "ann")?.streak.length == 3)
  }
}
