import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Levels when the rules that judged them are corrected.
@Suite(.offThePool) struct CorrectedRulesTests {
  private func rules(
    _ version: String, caps first: Int, reward: String = #"{"points": 7}"#, purchaseExp: Int = 50,
    shareExp: Int = 50, laterCaps: Int = 1_000, corrects: String? = nil, from: String = "2024-01-01"
  ) throws -> RulesDocument {
    let caps = ([first] + Array(repeating: laterCaps, count: 28)).map(String.init)
    let text = """
      {"version": "\(version)", "effectiveFrom": "\(from)",
       \(corrects.map { "\"corrects\": \"\($0)\"," } ?? "")
       "missions": {"purchase": {"points": 50, "exp": \(purchaseExp)},
         "share": {"points": 10, "exp": \(shareExp)}},
       "levels": {"caps": [\(caps.joined(separator: ","))], "rewards": {"2": \(reward)}},
       "catalogue": {"fontColor": ["red", "orange", "green"], "backgroundColor": ["cream"]}}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  private func fixture(_ rules: RulesDocument) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: rules)
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    return fixture
  }

  /// A purchase on the first day, 75 exp with the login; the day is closed.
  private func fixture(afterAPurchaseBy rules: RulesDocument) async throws -> SchedulerFixture {
    let fixture = try await fixture(rules)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T09:00:00Z")
    try await fixture.closeDay(10)
    return fixture
  }

  @Test func aCorrectedLevelTableReachesThoseWhoPassedIt() async throws {
    // 75 exp on the first day: above the right cap of 60, below the wrong one of 100.
    let wrong = try rules("a", caps: 100)
    let fixture = try await fixture(afterAPurchaseBy: wrong)
    #expect(await fixture.balance(of: "ann")?.level == 1)
    try await fixture.use(wrong, try rules("b", caps: 60, corrects: "a"))
    try await fixture.backfill(plan: "p", clawsBack: true)
    let balance = await fixture.balance(of: "ann")
    #expect(balance?.level == 2 && balance?.exp == 15 && balance?.points == 75 + 7)
    #expect(await fixture.plans(plan: "q", clawsBack: true).flatMap(\.records) == [])
    // The other way round the level and its reward are gone.
    try await fixture.use(
      wrong, try rules("b", caps: 60, corrects: "a"),
      try rules("c", caps: 80, corrects: "b"))
    try await fixture.backfill(plan: "r", clawsBack: true)
    let again = await fixture.balance(of: "ann")
    #expect(again?.level == 1 && again?.exp == 75 && again?.points == 75)
    #expect(await fixture.plans(plan: "s", clawsBack: true).flatMap(\.records) == [])
  }

  /// The correction is brought in for the first of two days: what is waived counts by the table that judges the last one still.
  @Test func aWaiverLiftsNoLevelByATableThatIsNotInForceYet() async throws {
    let wrong = try rules("a", caps: 200, shareExp: 110)
    let fixture = try await fixture(wrong)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-10T09:00:00Z")
    try await fixture.closeDay(10)
    try await fixture.inbox("ann purchase 2026-11-11T00:10:00Z")
    try await fixture.closeDay(11)
    try await fixture.use(wrong, try rules("b", caps: 100, corrects: "a"))
    let first = Day(year: 2026, month: 11, day: 10)
    let range = try #require(first)...(try #require(first))
    try await fixture.backfill(plan: "p", clawsBack: false, range: range)
    let balance = await fixture.balance(of: "ann")
    #expect(balance?.level == 1 && balance?.exp == 25 + 110 + 50)
    #expect(await fixture.plans(plan: "q", clawsBack: true, range: range).flatMap(\.records) == [])
  }

  /// The days between fall to the rules before: they wait for a backfill, though the correction itself begins in the future.
  @Test func aCorrectionThatBeginsLaterLetsDaysWait() async throws {
    let (first, wrong) = (try rules("a", caps: 1_000), try rules("b", caps: 60, from: "2026-11-10"))
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: first)
    _ = try await RulesUse(fixture.writer).record([first, wrong], by: "test")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T09:00:00Z")
    try await fixture.closeDay(10)
    let late = try rules("c", caps: 60, corrects: "b", from: "2026-12-01")
    try await fixture.use(first, wrong, late)
    #expect(await fixture.writer.read { $0.ledger.lateForAll } > 0)
    #expect(await fixture.plans(plan: "p", clawsBack: true).flatMap(\.records) != [])
  }

  @Test func aPlanNamesTheRulesOfWhatItAdjustsOnAnOpenDay() async throws {
    let rules = try rules("a", caps: 100, reward: #"{"boosterDays": 1}"#)
    let fixture = try await fixture(afterAPurchaseBy: rules)
    try fixture.set("2026-11-11T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-11T09:00:00Z")
    // With it the level is reached a day earlier, and its booster begins there.
    try await fixture.inbox("ann share 2026-11-10T20:00:00Z")
    try await fixture.backfill(plan: "p", clawsBack: true)
    let adjustments = fixture.records.grants.filter { $0.key.hasPrefix("ann/level/2#") }
    #expect(!adjustments.isEmpty && adjustments.allSatisfy { $0.rules == "a" })
  }

  /// The level table changes at midnight, and what happened before comes after what happened behind it.
  @Test func twoOpenDaysCountInTheirOrder() async throws {
    let first = try rules("a", caps: 200, laterCaps: 200)
    let fixture = try await fixture(first)
    try await fixture.use(first, try rules("b", caps: 10, laterCaps: 10, from: "2026-11-11"))
    try fixture.set("2026-11-11T00:06:00Z")
    try await fixture.inbox("ann purchase 2026-11-11T00:05:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T23:50:00Z")
    let open = await fixture.balance(of: "ann")
    // 75 exp by the old table, and 50 more by the new one.
    #expect(open?.level == 13 && open?.exp == 5)
    try await fixture.closeDay(10)
    #expect(await fixture.balance(of: "ann") == open)
  }

  /// Days that were judged would have no rules, and a backfill would take back what they brought.
  @Test func aCorrectionThatBeginsAfterJudgedDaysIsRefused() async throws {
    let wrong = try rules("a", caps: 100)
    let fixture = try await fixture(afterAPurchaseBy: wrong)
    let late = try rules("b", caps: 60, corrects: "a", from: "2026-11-11")
    let count = fixture.records.count
    await #expect(throws: RuleBookProblem.self) { try await fixture.use(wrong, late) }
    #expect(fixture.records.count == count)
    try await fixture.use(wrong, try rules("c", caps: 60, corrects: "a", from: "2026-11-10"))
    #expect(await fixture.balance(of: "ann")?.points == 75)
  }

  @Test func aLevelThatIsReachedAgainOnAnotherDayKeepsItsKey() async throws {
    let wrong = try rules("a", caps: 60)
    let fixture = try await fixture(wrong)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T09:00:00Z")
    #expect(fixture.records.net["ann/level/2"]?.points == 7)
    // Corrected on the running day: the level is not reached, its key is void.
    try await fixture.use(wrong, try rules("b", caps: 60, purchaseExp: 10, corrects: "a"))
    #expect(fixture.records.net["ann/level/2"] == nil)
    try await fixture.closeDay(10)
    try fixture.set("2026-11-11T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-11T09:00:00Z")
    #expect(fixture.records.doubledKeys == [])
    #expect(
      fixture.records.grants.map(\.key).filter { $0.contains("/level/") } == [
        "ann/level/2", "ann/level/2#1", "ann/level/2#2",
      ])
    // The book that is folded from the records alone knows it too.
    let kept = try StateSnapshot.write(await fixture.writer.snapshot().state)
    #expect(StateSnapshot.write(fixture.foldedState) == kept)
    try await fixture.closeDay(11)
    #expect(await fixture.balance(of: "ann")?.level == 2)
    #expect(await fixture.plans(plan: "p", clawsBack: true).flatMap(\.records) == [])
  }

  @Test func aLevelRewardThatAClosedDayBringsIsNotTakenBackByTheRunningDay() async throws {
    let wrong = try rules("a", caps: 100, reward: #"{"item": "fontColor"}"#)
    let fixture = try await fixture(afterAPurchaseBy: wrong)
    try fixture.set("2026-11-11T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-11T09:00:00Z")
    #expect(fixture.records.net["ann/level/2"]?.items.count == 1)
    try await fixture.use(
      wrong, try rules("b", caps: 60, reward: #"{"item": "fontColor"}"#, corrects: "a"))
    try await fixture.backfill(plan: "p", clawsBack: true)
    let count = fixture.records.count
    try await fixture.backfill(plan: "q", clawsBack: true)
    #expect(fixture.records.count == count)
    #expect(await fixture.missingCount() == 0)
    let items = fixture.records.net.values.flatMap(\.items)
    #expect(items.count == Set(items).count && items.count == 2)
  }
}
