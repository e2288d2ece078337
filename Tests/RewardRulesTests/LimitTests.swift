import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("Limits, releases and reversals", .offThePool)
struct LimitTests {
  private static let gift = RewardKey.mission(Fixture.day, .gift)
  private static let watch = RewardKey.mission(Fixture.day, .watch)
  private static let login = RewardKey.login(Fixture.day)

  private static func rules(points: Int, exp: Int = 2_000) throws -> RulesDocument {
    try Fixture.rules([
      #""pointsPerUserDay": 1000, "expPerUserDay": 2000"#:
        #""pointsPerUserDay": \#(points), "expPerUserDay": \#(exp)"#
    ])
  }

  private static func account() -> AccountState {
    var account = AccountState()
    account.streak.cycleDay = 6
    return account
  }

  private static func reward(points: Int64 = 0, exp: Int64 = 0) -> Reward {
    var reward = Reward()
    reward.points = points
    reward.exp = exp
    return reward
  }

  @Test("a grant beyond the points limit is held back whole; a smaller one after it still fits")
  func holdsBackPoints() throws {
    let rules = try Self.rules(points: 40)
    var account = Self.account()
    let facts = Fixture.facts([.gift: 1, .stream: 2, .watch: 3, .comment: 4, .share: 5])
    let outcome = Fixture.evaluate(facts, &account, rules: rules)
    #expect(outcome.missions == ["login", "gift", "watch", "comment"])
    #expect(outcome.heldBack.map(\.key.mission) == ["stream", "share"])
    #expect(account.exp == 40, "what is held back lifts nothing")
  }

  @Test("the exp limit counts what the booster makes of it")
  func holdsBackExp() throws {
    let rules = try Self.rules(points: 1_000, exp: 39)
    var account = Self.account()
    account.boosterUntil = Fixture.at(86_400)
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 1, .watch: 2]), &account, rules: rules)
    #expect(outcome.missions == ["login", "watch"])
    #expect(outcome.heldBack.map(\.reward.exp) == [40])
  }

  @Test("what gives neither points nor exp is never beyond a limit")
  func passesCoins() throws {
    var account = Self.account()
    let outcome = Fixture.evaluate(
      Fixture.facts([.login: 1]), &account, rules: try Self.rules(points: 0, exp: 0))
    #expect(outcome["login"]?.reward.coins == 50)
  }

  @Test("what is held back owns no items, starts no booster and rewards no level")
  func hasNoEffects() throws {
    let rules = try Fixture.rules([
      #"{"item": "fontColor"}"#: #"{"item": "fontColor", "points": 5000, "boosterDays": 1}"#,
      #""2": {"item": "levelLabel"}"#: #""2": {"item": "levelLabel", "points": 5000}"#,
    ])
    var account = AccountState()
    account.streak.cycleDay = 1
    account.exp = 199
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 1]), &account, rules: rules)
    #expect(outcome.heldBack.map(\.key) == [Self.login, .level(2)])
    #expect(outcome.levels.map(\.level) == [2])
    #expect(account.owned.isEmpty)
    #expect(account.boosterUntil == nil)
    #expect(account.streak.cycleDay == 2, "the day counts all the same")
  }

  @Test("what stands for the day counts first, levels by the day they were granted for")
  func countsWhatStands() throws {
    let rules = try Self.rules(points: 60)
    var standing = RecordedKeys()
    standing.granted[Self.watch] = Self.reward(points: 15)
    standing.granted[.level(3)] = Self.reward(points: 26)
    standing.granted[.level(4)] = Self.reward(points: 500)
    standing.granted[.login(Fixture.day.adding(days: 1))] = Self.reward(points: 500)
    standing.levelDays = [3: Fixture.day, 4: Fixture.day.adding(days: -1)]
    var account = Self.account()
    let facts = Fixture.facts([.gift: 1, .watch: 2])
    let outcome = Fixture.evaluate(facts, &account, rules: rules, standing: standing)
    #expect(
      outcome.missions == ["login", "watch"], "15 + 26 + 20 > 60, though the gift came first")
    #expect(outcome.heldBack.map(\.key) == [Self.gift])
    standing.levelDays[3] = Fixture.day.adding(days: -1)
    account = Self.account()
    #expect(Fixture.evaluate(facts, &account, rules: rules, standing: standing).heldBack.isEmpty)
  }

  @Test("a standing level without a day counts from when the day derives it")
  func countsUndatedLevel() throws {
    let rules = try Fixture.rules([
      #""pointsPerUserDay": 1000"#: #""pointsPerUserDay": 60"#,
      #""2": {"item": "levelLabel"}"#: #""2": {"points": 50}"#,
    ])
    var standing = RecordedKeys()
    standing.granted[.level(2)] = Self.reward(points: 50)
    var account = Self.account()
    account.exp = 199
    let facts = Fixture.facts([.comment: 1, .watch: 2])
    let outcome = Fixture.evaluate(facts, &account, rules: rules, standing: standing)
    #expect(outcome.missions == ["login", "comment", "level 2"])
    #expect(outcome.heldBack.map(\.key) == [Self.watch])
  }

  @Test("a key that stands is never held back, even when the limit has shrunk")
  func keepsWhatStands() throws {
    var standing = RecordedKeys()
    standing.granted[Self.gift] = Self.reward(points: 20, exp: 20)
    var account = Self.account()
    let outcome = Fixture.evaluate(
      Fixture.facts([.gift: 1]), &account, rules: try Self.rules(points: 3), standing: standing)
    #expect(outcome.missions == ["login", "gift"])
  }

  @Test("what was held back stays so until it is released, though it would fit now")
  func staysHeldBack() {
    var standing = RecordedKeys()
    standing.heldBack = [Self.gift]
    var account = Self.account()
    let facts = Fixture.facts([.gift: 1])
    #expect(
      Fixture.evaluate(facts, &account, standing: standing).heldBack.map(\.key) == [Self.gift])
    #expect(account.exp == 0)
    standing.released = [Self.gift]
    account = Self.account()
    #expect(Fixture.evaluate(facts, &account, standing: standing).missions == ["login", "gift"])
    #expect(account.exp == 20)
  }

  @Test("a release passes its key over the limit; the rest of the day counts it")
  func releases() throws {
    var standing = RecordedKeys()
    standing.released = [Self.gift]
    var account = Self.account()
    let outcome = Fixture.evaluate(
      Fixture.facts([.gift: 1, .watch: 2]), &account, rules: try Self.rules(points: 19),
      standing: standing)
    #expect(outcome.missions == ["login", "gift"])
    #expect(outcome.heldBack.map(\.key) == [Self.watch])
  }

  @Test("a reversed key is neither granted nor held back and has no effect; the streak goes on")
  func leavesSettledAlone() {
    var standing = RecordedKeys()
    standing.reversed = [Self.gift, Self.login]
    var account = AccountState()
    let outcome = Fixture.evaluate(
      Fixture.facts([.gift: 1, .watch: 2]), &account, standing: standing)
    #expect(outcome.missions == ["watch"])
    #expect(outcome.heldBack.isEmpty)
    #expect(account.exp == 15)
    #expect(account.streak.length == 1)
  }

  @Test("sums at the end of their range hold back instead of wrapping")
  func saturatesSums() {
    var standing = RecordedKeys()
    standing.granted[Self.watch] = Self.reward(points: .max, exp: .max)
    standing.granted[.mission(Fixture.day, .share)] = Self.reward(points: .max, exp: .max)
    var account = Self.account()
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 1]), &account, standing: standing)
    #expect(outcome.heldBack.contains { $0.key == Self.gift })
  }

  @Test("what stands and is adjusted counts as what it becomes")
  func countsAdjustedGrants() {
    // The comment gives 5 points and 5 exp; it stands with all that the limit lets through.
    var standing = RecordedKeys()
    let comment = RewardKey.mission(Fixture.day, .comment)
    standing.granted[comment] = Self.reward(points: 1_000, exp: 2_000)
    var account = Self.account()
    let outcome = Fixture.evaluate(
      Fixture.facts([.comment: 1, .gift: 2]), &account, standing: standing)
    #expect(outcome.heldBack.isEmpty)
    #expect(outcome.missions.contains("gift"))
  }
}
