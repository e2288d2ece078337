import CivilTime
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What a user has earned depends on evidence, rules, zone history, outages and pardons, and on nothing else.
@Suite(.offThePool) struct OneLawTests {
  private static let manners = [
    Telling.Manner(closesDaily: true, restarts: 0, extraLooks: 0, isInboxHasty: false),
    Telling.Manner(closesDaily: true, restarts: 6, extraLooks: 60, isInboxHasty: false),
    Telling.Manner(closesDaily: true, restarts: 0, extraLooks: 20, isInboxHasty: true),
    Telling.Manner(closesDaily: false, restarts: 0, extraLooks: 10, isInboxHasty: false),
    Telling.Manner(closesDaily: false, restarts: 9, extraLooks: 40, isInboxHasty: true),
  ]

  @Test(arguments: Seeds.some(4, of: 0..<12) + [170, 192, 202, 223])
  func everyTellingOfTheSameLivesGivesTheSame(seed: Int) async throws {
    let lives = try (0..<5).map { try TrueLife(index: $0, seed: UInt64(seed)) }
    let oracles = lives.map(SpecOracle.init)
    var first: Outcome?
    for (number, manner) in Self.manners.enumerated() {
      let told = try await Telling.tell(lives, manner, seed: UInt64(seed * 100 + number))
      let place = "seed \(seed), telling \(number)"
      #expect(told.fixture.records.doubledKeys == [], "\(place)")
      #expect(await told.fixture.missingCount() == 0, "\(place)")
      for ((balance, oracle), life) in zip(zip(told.outcome.balances, oracles), lives) {
        let balance = try #require(balance)
        let earned = balance.holdings.earned
        let got = [earned.points, earned.coins]
        #expect(got == [oracle.points, oracle.coins], "\(place), \(balance.user)")
        let bought = life.purchases.reduce(Amounts()) { $0 + $1.credit.amounts }
        let had = balance.holdings.sum - earned
        #expect(had == bought, "\(place), \(balance.user)")
        #expect(balance.streak.length == oracle.length, "\(place), \(balance.user)")
        #expect(balance.streak.longest == oracle.longest, "\(place), \(balance.user)")
      }
      let daily = Set(told.outcome.net.keys.filter { !$0.contains("/level/") })
      let demanded = oracles.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
      #expect(daily.symmetricDifference(demanded) == [], "\(place)")
      let differences = first.map(told.outcome.differences) ?? []
      #expect(differences == [], "\(place)")
      first = first ?? told.outcome
    }
  }

  @Test func livesAreWorthTelling() throws {
    let lives = try (0..<60).map { try TrueLife(index: $0, seed: 5) }
    let oracles = lives.map(SpecOracle.init)
    #expect(oracles.contains { $0.coins > 0 })
    #expect(oracles.contains { $0.length < $0.longest })
    #expect(lives.contains { $0.changes.count > 1 })
    #expect(lives.contains { life in life.deeds.contains { $0.to > $0.end } })
    #expect(lives.contains { life in life.windows.contains { $0.isShortened } })
    let lengths = Set(lives.flatMap(\.windows).map { $0.end.seconds(since: $0.start) / 3_600 })
    #expect(lengths.contains(25))
  }
}
