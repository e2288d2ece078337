import CivilTime
import Engine
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// A plan says beforehand what open days will lose by it, for they can still change, and follow.
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

  /// What a user has by days that are not closed, and all items.
  private struct Standing {
    var amounts = Amounts()
    var boosterUntil: Instant?
    var items: Set<String> = []
  }

  private func standing(_ fixture: SchedulerFixture, _ user: String) async -> Standing {
    let open = await fixture.writer.read { $0.ledger.account(of: user)?.grants.open ?? [] }
    var standing = Standing()
    for grant in open where !grant.isReversed {
      standing.amounts += grant.net.amounts
      if let booster = grant.net.booster {
        standing.boosterUntil = max(standing.boosterUntil ?? .earliest, booster.until)
      }
    }
    standing.items = Set(await fixture.balance(of: user)?.items ?? [])
    return standing
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
      try await fixture.closeDay(day)
    }
    try fixture.set("2026-11-14T09:00:00Z")
    try await tell(fixture, on: 14, before: 9, count: 8, &random)
    for day in 10...13 {
      try await tell(fixture, on: day, before: 9, count: random.number(in: 0...3), &random)
    }
    let clawsBack = seed.isMultiple(of: 2)
    var plans = await fixture.plans(plan: "p", clawsBack: clawsBack)
    for index in plans.indices { plans[index].addOpenDayLoss() }
    var before: [Standing] = []
    for user in Self.users { before.append(await standing(fixture, user)) }
    _ = try await PlanAppending(fixture.writer).append(plans)
    var planned: [Standing] = []
    for user in Self.users { planned.append(await standing(fixture, user)) }
    _ = try await OpenDayEvaluation(fixture.writer).run(over: 0..<Self.users.count)
    for (index, user) in Self.users.enumerated() {
      let place = "seed \(seed), \(user)"
      let (now, plan) = (await standing(fixture, user), plans[index])
      // What the plan itself takes is its own to tell, and to waive.
      let less = planned[index].amounts - now.amounts
      let gone = before[index].items.subtracting(now.items)
        .subtracting(RecordTotals(plan.records).lostItems)
      let end = before[index].boosterUntil
      let isEarlier = end.map { (now.boosterUntil ?? .earliest) < $0 } ?? false
      let told = plan.openDayLoss
      #expect((told?.amounts ?? Amounts()) == Amounts { max(0, less[$0]) }, "\(place)")
      #expect((told?.items ?? []) == gone.sorted(), "\(place)")
      #expect(
        told?.booster.map { [$0.was, $0.until] } == (isEarlier ? [end, now.boosterUntil] : nil),
        "\(place)")
      let warnings = plan.issues.filter { $0.text.hasPrefix("open days change too") }
      #expect(warnings.count == (told == nil ? 0 : 1), "\(place)")
    }
  }

  /// The level is reached a day earlier by what came late: its booster begins there, and ends there.
  @Test func aBoosterThatAPlanBringsForwardIsTold() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: rules())
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try fixture.set("2026-11-10T09:00:00Z")
    try await fixture.inbox("ann share 2026-11-10T08:00:00Z")
    try await fixture.closeDay(10)
    try fixture.set("2026-11-11T09:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-11T08:00:00Z")
    try await fixture.inbox("ann purchase 2026-11-10T20:00:00Z")
    var plan = try #require(await fixture.plans(plan: "p", clawsBack: false).first)
    plan.addOpenDayLoss()
    let booster = try #require(plan.openDayLoss?.booster)
    #expect(booster.was == (try InstantText.parse("2026-11-12T08:00:00Z").instant))
    #expect(booster.until == (try InstantText.parse("2026-11-11T20:00:00Z").instant))
    #expect(
      plan.issues.contains {
        $0.severity == .warning && $0.day == Day("2026-11-11")
          && $0.text == "open days change too, and no waiver covers what they lose: a booster "
            + "until 2026-11-11T20:00:00Z instead of 2026-11-12T08:00:00Z"
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
    func loss(_ document: RulesDocument, beside loaded: RulesDocument...) throws -> OpenDayLoss? {
      let book = try RuleBook(loaded + [document], isComplete: false)
      return UserSimulation(timeline, trying: document, on: day...day, openDaysBy: book)
        .openDayLoss
    }
    #expect(try loss(other)?.amounts == Amounts { $0 == .points ? 6 : 0 })
    #expect(try loss(rules()) == nil)
    // It is not in force on the running day.
    let later = try RulesDocument.parse(
      Array(#"{"version": "c", "effectiveFrom": "2026-11-11", "missions": {}}"#.utf8)
    ).get()
    #expect(try loss(later, beside: rules()) == nil)
  }
}
