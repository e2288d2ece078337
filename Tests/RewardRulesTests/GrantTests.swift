import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("Grants", .offThePool)
struct GrantTests {
  @Test("each mission that is met gives what the rules say, at its evidence's instant")
  func grantsMissions() {
    var account = AccountState()
    account.streak.cycleDay = 6
    let outcome = Fixture.evaluate(
      Fixture.facts([.watch: 500, .gift: 100, .comment: 900]), &account)
    #expect(outcome.missions == ["login", "gift", "watch", "comment"])
    #expect(outcome.grants.map(\.reward.points) == [0, 20, 15, 5])
    #expect(outcome.grants.map(\.effective) == [100, 100, 500, 900].map { Fixture.at($0) })
    #expect(outcome.grants.map(\.evidence) == [100, 100, 500, 900])
    #expect(outcome.grants.allSatisfy { $0.day == Fixture.day && $0.reward.multiplier == 1 })
    #expect(account.exp == 40)
  }

  @Test("a kind that is no mission gives nothing but the streak")
  func ignoresOtherKinds() throws {
    let rules = try RulesDocument.parse(
      Array(#"{"version": "x", "effectiveFrom": "2020-01-01", "missions": {}}"#.utf8)
    ).get()
    var account = AccountState()
    #expect(
      Fixture.evaluate(Fixture.facts([.gift: 1]), &account, rules: rules).missions == ["login"])
  }

  @Test("at one instant: credits, login, missions by name, then levels by number")
  func ordersWithinAnInstant() {
    var account = AccountState()
    account.level = 4
    account.exp = 499
    let met: KeyValuePairs<ActivityKind, Int64> = [
      .watch: 7, .stream: 7, .share: 7, .purchase: 7, .gift: 7, .follow: 7, .comment: 7,
    ]
    let credit = Credit(effective: Fixture.at(7), exp: 1, items: [])
    let outcome = Fixture.evaluate(Fixture.facts(met, credits: [credit]), &account)
    #expect(
      outcome.missions == [
        "login", "comment", "follow", "gift", "purchase", "share", "stream", "watch", "level 5",
      ])
    #expect(outcome.levels == [.init(level: 5, effective: Fixture.at(7))])
    #expect(outcome.grants.last?.evidence == nil, "a credit lifted the level")
  }

  @Test("login takes the evidence that comes first; of two at one instant, the first name's")
  func datesLogin() {
    var account = AccountState()
    var facts = Fixture.facts([.watch: 300, .gift: 200])
    facts[.comment] = EarliestEvidence(effective: Fixture.at(200), seq: 0)
    let outcome = Fixture.evaluate(facts, &account)
    #expect(outcome["login"]?.effective == Fixture.at(200))
    #expect(outcome["login"]?.evidence == 0)
  }

  @Test(
    "a level's reward takes effect with what lifted the level, after the missions of that instant")
  func ordersLevelRewards() {
    var account = AccountState()
    account.exp = 160
    let outcome = Fixture.evaluate(
      Fixture.facts([.gift: 100, .stream: 100, .watch: 200]), &account)
    #expect(outcome.missions == ["login", "gift", "stream", "level 2", "watch"])
    #expect(outcome.grants[3].effective == Fixture.at(100))
    #expect(outcome.grants[3].evidence == 100)
    #expect(outcome.grants[3].reward.items == ["levelLabel/levelLabel"])
    #expect(account.owned == ["levelLabel/levelLabel"])
  }

  @Test("one grant may lift several levels; what is left carries over")
  func liftsSeveralLevels() throws {
    let rules = try Fixture.rules([
      #""purchase": {"points": 50, "exp": 50"#: #""purchase": {"exp": 1000"#
    ])
    var account = AccountState()
    account.streak.cycleDay = 6
    let outcome = Fixture.evaluate(Fixture.facts([.purchase: 5]), &account, rules: rules)
    #expect(outcome.levels.map(\.level) == [2, 3, 4])
    #expect(account.level == 4)
    #expect(account.exp == 100)
  }

  @Test(
    "a level reward may lift further levels; a level that is reached again demands its reward again"
  )
  func cascadesLevelRewards() throws {
    let rules = try Fixture.rules([
      #""2": {"item": "levelLabel"}"#: #""2": {"exp": 600, "points": 3, "coins": 2}"#
    ])
    var account = AccountState()
    account.exp = 175
    let outcome = Fixture.evaluate(Fixture.facts([.login: 5]), &account, rules: rules)
    #expect(outcome.missions == ["login", "level 2"])
    #expect(outcome.levels.map(\.level) == [2, 3])
    #expect(account.level == 3)
    #expect(account.exp == 300)
    #expect(outcome.grants[1].reward.coins == 2)

    account.apply(exp: -1000, caps: rules.levels.caps)
    #expect(account.level == 1)
    account.streak = StreakState()
    let next = Fixture.facts([.purchase: 5, .stream: 6], on: Fixture.day.adding(days: 1))
    account.exp = 190
    #expect(
      Fixture.evaluate(next, &account, rules: rules).missions
        == ["login", "purchase", "level 2", "stream"])
    #expect(account.level == 3)
  }

  @Test("at level 30 exp accumulates")
  func stopsAtTheTop() {
    var account = AccountState()
    account.level = 29
    account.exp = 2_995
    _ = Fixture.evaluate(Fixture.facts([.purchase: 5]), &account)
    #expect(account.level == 30)
    #expect(account.exp == 70)
    account.exp = 1_000_000
    let next = Fixture.facts([.purchase: 5], on: Fixture.day.adding(days: 2))
    #expect(Fixture.evaluate(next, &account).levels.isEmpty)
    #expect(account.exp == 1_000_050)
  }

  @Test("credits give exp without the booster, and items, before the grants of their instant")
  func appliesCredits() {
    var account = AccountState()
    account.boosterUntil = Fixture.at(86_400)
    account.streak.cycleDay = 1
    let colours = ["red", "orange", "green", "blue", "purple"].map { "fontColor/\($0)" }
    let credits = [
      Credit(effective: Fixture.at(400), exp: 7, items: []),
      Credit(effective: Fixture.at(100), exp: 30, items: colours),
    ]
    let outcome = Fixture.evaluate(Fixture.facts([.login: 100], credits: credits), &account)
    #expect(outcome["login"]?.reward.items == ["fontColor/pink"])
    #expect(account.exp == 37)
    #expect(account.owned.count == 6)
  }

  @Test("credits alone can lift a level and bring its reward")
  func liftsByCredit() {
    var account = AccountState()
    let credit = Credit(effective: Fixture.at(9), exp: 200, items: [])
    let outcome = Fixture.evaluate(Fixture.facts(credits: [credit]), &account)
    #expect(outcome.streakClass == .missed)
    #expect(outcome.missions == ["level 2"])
  }

  @Test("hostile amounts saturate, are told, and never trap")
  func saturates() {
    var account = AccountState()
    account.level = 30
    account.exp = .max - 3
    account.boosterUntil = Instant(seconds: .max)
    account.streak.cycleDay = 5
    let credit = Credit(effective: Fixture.at(1), exp: .max, items: [])
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 5], credits: [credit]), &account)
    #expect(outcome.isSaturated)
    #expect(account.exp == .max)
    for level in [Int32.min, -1, 0, 31, .max] {
      var odd = AccountState()
      odd.level = level
      #expect(!Fixture.evaluate(Fixture.facts([.gift: 5]), &odd).isSaturated)
      #expect(odd.exp == 45)
    }
  }
}
