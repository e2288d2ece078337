import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("Boosters", .offThePool)
struct BoosterTests {
  private static func account(cycleDay: Int32, boosterUntil: Instant? = nil) -> AccountState {
    var account = AccountState()
    account.streak.cycleDay = cycleDay
    account.boosterUntil = boosterUntil
    return account
  }

  @Test(
    "a booster runs 24 hours from its grant and doubles the exp of what comes after, not points")
  func startsAtItsGrant() throws {
    var account = Self.account(cycleDay: 5)
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 100, .watch: 200]), &account)
    let booster = try #require(outcome["login"]?.reward.booster)
    #expect(booster.from == Fixture.at(100))
    #expect(booster.until == Fixture.at(86_500))
    #expect(account.boosterUntil == booster.until)
    // At one instant `login` comes first, so the gift is after it already.
    #expect(outcome.grants.map(\.reward.baseExp) == [0, 20, 15])
    #expect(outcome.grants.map(\.reward.multiplier) == [1, 2, 2])
    #expect(outcome.grants.map(\.reward.exp) == [0, 40, 30])
    #expect(outcome.grants.map(\.reward.points) == [0, 20, 15])
    #expect(account.exp == 70)
  }

  @Test("it acts up to its end, which is not part of it")
  func endsSharply() {
    for (second, multiplier) in [(499, 2), (500, 1), (501, 1)] as [(Int64, Int64)] {
      var account = Self.account(cycleDay: 6, boosterUntil: Fixture.at(500))
      let outcome = Fixture.evaluate(Fixture.facts([.gift: second]), &account)
      #expect(outcome["gift"]?.reward.multiplier == multiplier)
    }
  }

  @Test("a second booster runs from the end of the first, or from its grant when none runs")
  func chains() {
    for (until, from) in [(40_000, 40_000), (101, 101), (100, 100), (50, 100)] as [(Int64, Int64)] {
      var account = Self.account(cycleDay: 5, boosterUntil: Fixture.at(until))
      let outcome = Fixture.evaluate(Fixture.facts([.gift: 100]), &account)
      #expect(outcome["login"]?.reward.booster?.from == Fixture.at(from))
      #expect(account.boosterUntil == Fixture.at(from + 86_400))
    }
  }

  @Test("a booster ends at the last second of the year 9999, and none begins there")
  func endsWithTheCalendar() {
    for (until, booster) in [
      (Instant.latest.adding(seconds: -60), Instant.latest.adding(seconds: -60)), (.latest, nil),
    ] as [(Instant, Instant?)] {
      var account = Self.account(cycleDay: 5, boosterUntil: until)
      let outcome = Fixture.evaluate(Fixture.facts([.gift: 100]), &account)
      #expect(outcome["login"] != nil)
      #expect(outcome["login"]?.reward.booster?.from == booster)
      #expect(account.boosterUntil == .latest)
    }
  }

  @Test("a grant that gives a booster is not multiplied by it, but the next one at that instant is")
  func actsOnLaterGrantsOnly() throws {
    let rules = try Fixture.rules([
      #""comment": {"points": 5, "exp": 5"#: #""comment": {"exp": 5, "boosterDays": 2"#
    ])
    var account = Self.account(cycleDay: 6)
    let outcome = Fixture.evaluate(
      Fixture.facts([.comment: 9, .gift: 9, .watch: 8]), &account, rules: rules)
    #expect(outcome.missions == ["login", "watch", "comment", "gift"])
    #expect(outcome.grants.map(\.reward.exp) == [0, 15, 5, 40])
    #expect(account.boosterUntil == Fixture.at(9 + 2 * 86_400))
  }

  @Test("the rules' multiplier is used; 1 changes nothing")
  func usesTheMultiplier() throws {
    for factor in [1, 3] as [Int64] {
      let rules = try Fixture.rules([#"{"multiplier": 2}"#: #"{"multiplier": \#(factor)}"#])
      var account = Self.account(cycleDay: 6, boosterUntil: Fixture.at(900))
      let outcome = Fixture.evaluate(Fixture.facts([.gift: 5]), &account, rules: rules)
      #expect(outcome["gift"]?.reward.exp == 20 * factor)
    }
  }
}
