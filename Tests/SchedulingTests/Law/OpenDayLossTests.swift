import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling
import SeededRandom
import TestSupport
import Testing

/// A plan says beforehand what days that are not closed will lose by it, for they are not settled, and follow.
@Suite(.offThePool) struct OpenDayLossTests {
  private static let users = ["ann", "bob", "cy"]
  private static let kinds = ["comment", "follow", "share", "purchase"]

  private func rules() throws -> RulesDocument {
    let caps = (0..<29).map { $0 < 12 ? "60" : "100000" }.joined(separator: ",")
    let text = """
      {"version": "a", "effectiveFrom": "2024-01-01",
       "levels": {"caps": [\(caps)], "rewards": {"2": {"boosterDays": 1}, "3": {"points": 7},
         "4": {"item": "fontColor"}, "5": {"boosterDays": 2}, "6": {"coins": 9, "points": 3},
         "7": {"item": "*"}, "8": {"points": 70}}},
       "catalogue": {"fontColor": ["red", "orange"], "backgroundColor": ["cream", "mint"]}}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  /// A user's grant of a day that is not closed.
  private struct Standing: Equatable {
    let amounts: Amounts
    let items: [String]
    let booster: Instant?
  }

  private func standing(_ fixture: SchedulerFixture) async -> [String: Standing] {
    let open = await fixture.writer.read { $0.ledger.accounts.flatMap(\.grants.open) }
    let pairs = open.filter { !$0.isReversed && $0.key != nil }.map {
      (
        $0.text,
        Standing(amounts: $0.net.amounts, items: $0.net.items, booster: $0.net.booster?.until)
      )
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// What of `before` is less in `after`, by key, in words.
  private func losses(_ before: [String: Standing], _ after: [String: Standing]) -> [String] {
    before.compactMap { key, was in
      let now = after[key]
      let less = Amounts { max(0, was.amounts[$0] - (now?.amounts[$0] ?? 0)) }
      let items = was.items.filter { now?.items.contains($0) != true }
      let isEarlier = was.booster.map { ($0, now?.booster ?? .earliest) }.map { $1 < $0 } ?? false
      if less.isZero, items.isEmpty, !isEarlier { return nil }
      return "\(key) \(less.text) \(items) \(isEarlier)"
    }.sorted()
  }

  private func tell(
    _ fixture: SchedulerFixture, on day: Int, before hour: Int64, count: Int64,
    _ random: inout SplitMix64
  ) async throws {
    for _ in 0..<count {
      let at =
        "2026-11-\(day)T0\(random.number(in: 0...hour - 1)):\(random.number(in: 10...59)):00Z"
      try await fixture.inbox("\(random.pick(Self.users)) \(random.pick(Self.kinds)) \(at)")
    }
  }

  @Test(arguments: Seeds.some(8, of: 0..<80))
  func whatAPlanSaysBeforehandIsWhatTheRunningDayLoses(seed: Int) async throws {
    var random = SplitMix64(seed: 1_707, UInt64(seed))
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: rules())
    for user in Self.users { try await fixture.hire(#"{"user":"\#(user)","timezone":"UTC"}"#) }
    for day in 10...13 {
      try fixture.set("2026-11-\(day)T09:00:00Z")
      try await tell(fixture, on: day, before: 9, count: random.number(in: 0...5), &random)
      try fixture.set("2026-11-\(day + 1)T00:20:00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
    try fixture.set("2026-11-14T09:00:00Z")
    try await tell(fixture, on: 14, before: 9, count: 8, &random)
    for day in 10...13 {
      try await tell(fixture, on: day, before: 9, count: random.number(in: 0...3), &random)
    }
    let before = await standing(fixture)
    let clawsBack = seed.isMultiple(of: 2)
    let plans = await fixture.plans(plan: "p", clawsBack: clawsBack)
    try await fixture.backfill(plan: "p", clawsBack: clawsBack)
    let told = plans.flatMap(\.losses.losses).map {
      "\($0.key) \($0.amounts.text) \($0.items) \($0.booster != nil)"
    }
    let lost = losses(before, await standing(fixture))
    #expect(told.sorted() == lost, "seed \(seed)")
    let warned = plans.flatMap(\.issues).filter { $0.text.hasPrefix("not settled") }
    #expect(warned.count == told.count, "seed \(seed)")
  }

  /// The level is reached a day earlier by what came late: its booster begins there, and ends there.
  @Test func aBoosterThatAPlanBringsForwardIsTold() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: rules())
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-10T08:00:00Z")
    try fixture.set("2026-11-11T00:20:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    try fixture.set("2026-11-11T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-11T08:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T20:00:00Z")
    let plan = try #require(await fixture.plans(plan: "p", clawsBack: false).first)
    let booster = try #require(plan.losses.losses.first { $0.key == "ann/level/2" }?.booster)
    #expect(booster.was == (try InstantText.parse("2026-11-12T08:00:00Z").instant))
    #expect(booster.until == (try InstantText.parse("2026-11-11T20:00:00Z").instant))
    #expect(
      plan.issues.contains {
        $0.severity == .warning && $0.day == Day("2026-11-11")
          && $0.text == "not settled, and follows: ann/level/2: its booster ends at "
            + "2026-11-11T20:00:00Z instead of 2026-11-12T08:00:00Z"
      })
  }

  /// Rules that are tried on closed days are tried on the running one, too.
  @Test func rulesThatAreTriedSayWhatTheRunningDayWouldLose() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: rules())
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-10T08:00:00Z")
    let other = try RulesDocument.parse(
      Array(
        """
        {"version": "b", "effectiveFrom": "2024-01-01", "missions": {"share": {"points": 4, "exp": 30}}}
        """.utf8)
    ).get()
    let timeline = try #require(await fixture.timelines.first)
    let day = try #require(Day("2026-11-10"))
    let simulation = UserSimulation(timeline, trying: other, on: day...day)
    let loss = try #require(simulation.losses.losses.first)
    #expect(simulation.losses.losses.count == 1 && simulation.days == 0)
    #expect(loss.key == "ann/2026-11-10/share" && loss.amounts == Amounts { $0 == .points ? 6 : 0 })
    #expect(UserSimulation(timeline, trying: try rules(), on: day...day).losses.losses.isEmpty)
  }
}
