import CivilTime
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What users buy and spend in a shop.
@Suite(.offThePool) struct ShopFlowTests {
  private func fixture() async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"points":100,"coins":5}}"#)
    return fixture
  }

  @Test func whatAUserHasIsEarnedCreditedAndSpent() async throws {
    let fixture = try await fixture()
    let lines = try [
      SchedulerFixture.credit(of: "a", at: "2026-11-20T05:00:00Z", points: -300, boosterDays: 1),
      SchedulerFixture.credit(of: "a", at: "2026-11-20T05:10:00Z", coins: 120),
    ]
    _ = try await fixture.inboxIntake.add(lines, readAt: fixture.clock.now())
    let balance = try #require(await fixture.balance(of: "a"))
    #expect(balance.holdings.credited.points == 100 && balance.holdings.spent.points == 300)
    #expect(balance.points == -200 && balance.coins == 125)
    #expect(
      balance.boosterUntil == (try SchedulerFixture.instant("2026-11-21T05:00:00Z")))
  }

  /// Whether an id comes again in the same file, later, or after a restart: other contents are refused, the same count once.
  @Test(arguments: [false, true])
  func anIDCountsOnce(isRestarted: Bool) async throws {
    let fixture = try await fixture()
    func line(_ number: Int, points: Int64, at: String = "2026-11-20T05:00:00Z") throws
      -> InboxLine
    {
      try SchedulerFixture.credit(number: number, of: "a", at: at, points: points, id: "x")
    }
    _ = try await fixture.inboxIntake.add([line(1, points: -7)], readAt: fixture.clock.now())
    if isRestarted { fixture.restart() }
    let receipt = try await fixture.inboxIntake.add(
      [
        line(1, points: -7), line(2, points: -8),
        line(3, points: -7, at: "2026-11-20T05:00:01Z"),
      ], readAt: fixture.clock.now())
    #expect(receipt.rejected.map(\.number) == [2, 3])
    #expect(fixture.records.credits.count == 1)
    #expect(await fixture.balance(of: "a")?.points == 93)
  }

  /// Told in time, or late with a backfill. One bought before the first day ran from then on.
  @Test(arguments: [
    ("2026-11-20T04:00:00Z", 20), ("2026-11-20T06:00:00Z", 10), ("2026-11-19T12:00:00Z", 20),
    ("2026-11-18T12:00:00Z", 10),
  ])
  func aBoughtBoosterDoublesTheExpOfADay(bought: String, exp: Int64) async throws {
    for isLate in [false, true] {
      let fixture = try await fixture()
      let line = try SchedulerFixture.credit(of: "a", at: bought, points: -5, boosterDays: 1)
      if !isLate { _ = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now()) }
      try await fixture.inbox("a share 2026-11-20T05:30:00Z")
      try fixture.set("2026-11-21T00:30:00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
      if isLate {
        _ = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
        try await fixture.backfill(plan: "p", clawsBack: true)
      }
      #expect(fixture.records.net["a/2026-11-20/share"]?.exp == exp, "\(bought), late: \(isLate)")
      #expect(await fixture.missingCount() == 0)
    }
  }

  @Test func theOpeningsBoosterIsRunning() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.hire(
      #"{"user":"a","timezone":"Etc/UTC","opening":{"level":3,"exp":7,"boosterUntil":"2026-11-20T05:00:00Z"}}"#
    )
    try await fixture.inbox("a share 2026-11-20T04:59:00Z", "a comment 2026-11-20T05:00:00Z")
    #expect(fixture.records.net["a/2026-11-20/share"]?.exp == 20)
    #expect(fixture.records.net["a/2026-11-20/comment"]?.exp == 5)
    // With the 500 exp that made the level.
    #expect(await fixture.balance(of: "a")?.holdings.credited.exp == 507)
  }

  /// In one file or in two, no sum leaves what every reader of JSON keeps.
  @Test func sumsStayExact() async throws {
    let fixture = try await fixture()
    func line(_ number: Int) throws -> InboxLine {
      try SchedulerFixture.credit(
        number: number, of: "a", at: "2026-11-20T05:00:00Z", points: -(1 << 52), id: "x\(number)")
    }
    let lines = try [line(1), line(2), line(3)]
    let receipt = try await fixture.inboxIntake.add(lines, readAt: fixture.clock.now())
    #expect(receipt.rejected.map(\.number) == [2, 3])
    let again = try await fixture.inboxIntake.add([line(4)], readAt: fixture.clock.now())
    #expect(again.rejected.first?.reason.contains("would pass 9007199254740991") == true)
    #expect(await fixture.balance(of: "a")?.points == 100 - (1 << 52))
  }

  /// A shop whose ids differ only in how a letter is composed means two orders.
  @Test func idsAreComparedByTheirBytes() async throws {
    let fixture = try await fixture()
    for (number, id) in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"].enumerated() {
      let line = try SchedulerFixture.credit(
        number: number + 1, of: "a", at: "2026-11-20T05:00:00Z", points: -10, id: id)
      let receipt = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
      #expect(receipt.rejected.isEmpty)
    }
    #expect(await fixture.balance(of: "a")?.points == 80)
  }

  @Test func anItemThatNoRulesHaveIsRejected() async throws {
    let fixture = try await fixture()
    let line = try SchedulerFixture.credit(
      of: "a", at: "2026-11-20T05:00:00Z", points: -5, items: ["hat/none"])
    let receipt = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
    #expect(receipt.rejected.first?.reason.contains("hat/none") == true)
    #expect(await fixture.balance(of: "a")?.points == 100)
  }

  /// A spending told late makes no day wait; a booster does.
  @Test(arguments: [(0, 0), (1, 1)])
  func onlyWhatChangesDaysIsLate(boosterDays: Int64, late: Int) async throws {
    let fixture = try await fixture()
    try fixture.set("2026-11-21T00:30:00Z")
    try await fixture.seeNothing()
    try await fixture.closeAll()
    let line = try SchedulerFixture.credit(
      of: "a", at: "2026-11-20T05:00:00Z", points: -5, boosterDays: boosterDays)
    let receipt = try await fixture.inboxIntake.add([line], readAt: fixture.clock.now())
    #expect(receipt.lateFacts == late)
    #expect(await fixture.balance(of: "a")?.points == 95)
  }

  @Test func limitsHoldForWhatGives() {
    var hand = InboxSource.hand
    hand.perLine = ["points": 10_000, "exp": 10_000, "coins": 10_000, "boosterDays": 30]
    func isAlone(_ credit: Credit) -> Bool { hand.excess(of: credit, today: ([:], [:])) == nil }
    #expect(isAlone(Credit(effective: .earliest, exp: 9_900)))
    #expect(isAlone(Credit(effective: .earliest, points: -1_000_000, coins: -1_000_000)))
    #expect(!isAlone(Credit(effective: .earliest, points: 10_001)))
    #expect(!isAlone(Credit(effective: .earliest, exp: 10_001)))
    #expect(isAlone(Credit(effective: .earliest, boosterDays: 30)))
    #expect(!isAlone(Credit(effective: .earliest, boosterDays: 31)))
  }
}
