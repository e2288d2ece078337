import CivilTime
import Engine
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What is taken back leaves the user with what the law gives without it, whenever it is taken back.
@Suite(.offThePool) struct ReversalLawTests {
  private static let onTime = Telling.Manner(
    closesDaily: true, restarts: 1, extraLooks: 0, isInboxHasty: false)

  private func lives(_ seed: Int) throws -> [TrueLife] {
    try (0..<3).map { try TrueLife(index: $0, seed: UInt64(seed)) }
  }

  /// Some of the keys that evidence alone demands.
  private func someKeys(of outcome: Outcome, seed: Int) -> Set<String> {
    var random = SplitMix64(seed: UInt64(seed), 815)
    let keys = outcome.net.keys.filter { !$0.contains("/level/") }.sorted()
    return Set(keys.filter { _ in random.number(in: 0...9) < 2 })
  }

  private func outcome(_ fixture: SchedulerFixture, _ lives: [TrueLife]) async -> Outcome {
    var outcome = Outcome(balances: [], net: fixture.records.net)
    for life in lives { outcome.balances.append(await fixture.balance(of: life.id)) }
    return outcome
  }

  @Test(arguments: Seeds.some(6, of: 300..<316))
  func itMakesNoDifferenceWhenSomethingIsTakenBack(seed: Int) async throws {
    let lives = try lives(seed)
    let (fixture, whole) = try await Telling.tell(lives, Self.onTime, seed: UInt64(seed))
    let keys = someKeys(of: whole, seed: seed)
    try #require(!keys.isEmpty)
    try await fixture.reverse(keys, plan: "late")
    #expect(fixture.records.net.keys.filter(keys.contains) == [], "seed \(seed)")
    let late = await outcome(fixture, lives)
    for percent in [0, 50, 80] {
      let told = try await Telling.tell(
        lives, Self.onTime, seed: UInt64(seed), reversing: keys, fromPercent: percent)
      #expect(told.fixture.records.doubledKeys == [], "seed \(seed), \(percent) %")
      #expect(told.outcome.differences(from: late) == [], "seed \(seed), \(percent) %")
    }
    // Neither a second time nor a backfill changes anything.
    let count = fixture.records.count
    try await fixture.reverse(keys, plan: "again")
    try await fixture.backfill(plan: "after", clawsBack: true)
    #expect(fixture.records.count == count, "seed \(seed)")
    #expect(await fixture.missingCount() == 0, "seed \(seed)")
    // The book that is folded from the records alone agrees.
    let kept = try StateSnapshot.write(await fixture.writer.snapshot().state)
    #expect(StateSnapshot.write(fixture.foldedState) == kept, "seed \(seed)")
    // Undone, everything is as it was.
    try await fixture.reverse(keys, undone: true, plan: "undo")
    #expect(await outcome(fixture, lives).differences(from: whole) == [], "seed \(seed)")
    #expect(fixture.records.doubledKeys == [], "seed \(seed)")
  }

  @Test func noBalanceFallsBelowZeroUnlessToldTo() async throws {
    let lives = try lives(400)
    let (fixture, whole) = try await Telling.tell(lives, Self.onTime, seed: 400)
    let ids = lives.map(\.id)
    let keys = Set(whole.net.keys)
    let points = try whole.balances.map { try #require($0).points }
    // The first has spent nothing, the second nearly all, the third more than there was.
    let left = [ids[0]: points[0], ids[1]: 7, ids[2]: -3]
    try await fixture.reverse(keys, plan: "p", .balances) { id in
      left[id].map { points in Amounts { $0 == .points ? points : 0 } }
    }
    let after = try await outcome(fixture, lives).balances.map { try #require($0) }
    #expect(after[0].points == 0)
    #expect(after[1].points == points[1] - 7)
    #expect(after[2].points == points[2])
    #expect(after.map(\.level) == [1, 1, 1] || after.allSatisfy { $0.exp >= 0 })
  }
}
