import Foundations
import RewardRules
import TestSupport
import Testing

@Suite("Accounts", .offThePool)
struct AccountStateTests {
  private static let caps = RulesDocument.builtIn.levels.caps

  @Test(
    "exp moves the level up and down",
    arguments: [
      (level: 1, exp: 0, delta: 199, newLevel: 1, newExp: 199),
      (level: 1, exp: 0, delta: 200, newLevel: 2, newExp: 0),
      (level: 1, exp: 150, delta: 1_000, newLevel: 4, newExp: 250),
      (level: 2, exp: 0, delta: -1, newLevel: 1, newExp: 199),
      (level: 4, exp: 250, delta: -1_000, newLevel: 1, newExp: 150),
      (level: 1, exp: 5, delta: -20, newLevel: 1, newExp: -15),
      (level: 1, exp: -15, delta: 20, newLevel: 1, newExp: 5),
      (level: 30, exp: 4_000, delta: 9_000, newLevel: 30, newExp: 13_000),
      (level: 30, exp: 10, delta: -11, newLevel: 29, newExp: 2_999),
    ] as [(level: Int32, exp: Int64, delta: Int64, newLevel: Int32, newExp: Int64)])
  func applies(_ row: (level: Int32, exp: Int64, delta: Int64, newLevel: Int32, newExp: Int64)) {
    var account = AccountState()
    account.level = row.level
    account.exp = row.exp
    let isExact = account.apply(exp: row.delta, caps: Self.caps)
    #expect(isExact)
    #expect(account.level == row.newLevel)
    #expect(account.exp == row.newExp)
  }

  @Test(
    "a table ends where it ends; a level that it does not have is left downwards only",
    arguments: [
      (count: 1, level: 1, exp: 0, delta: 500, newLevel: 2, newExp: 490),
      (count: 99, level: 1, exp: 0, delta: 1_000, newLevel: 100, newExp: 10),
      (count: 3, level: 30, exp: 4, delta: 1_000, newLevel: 30, newExp: 1_004),
      (count: 3, level: 30, exp: 4, delta: -15, newLevel: 28, newExp: 9),
      (count: 3, level: 5, exp: 0, delta: -41, newLevel: 1, newExp: -1),
    ] as [(count: Int, level: Int32, exp: Int64, delta: Int64, newLevel: Int32, newExp: Int64)])
  func appliesTablesOfAnyLength(
    _ row: (count: Int, level: Int32, exp: Int64, delta: Int64, newLevel: Int32, newExp: Int64)
  ) {
    var account = AccountState()
    account.level = row.level
    account.exp = row.exp
    account.apply(exp: row.delta, caps: Array(repeating: 10, count: row.count))
    #expect(account.level == row.newLevel)
    #expect(account.exp == row.newExp)
  }

  @Test("the ends of the range are told")
  func saturates() {
    var account = AccountState()
    account.level = 30
    account.exp = .max
    let isExact = account.apply(exp: 1, caps: Self.caps)
    #expect(!isExact)
    #expect(account.exp == .max)
    var debtor = AccountState()
    debtor.exp = .min
    let isDebtExact = debtor.apply(exp: -1, caps: Self.caps)
    #expect(!isDebtExact)
    #expect(debtor.exp == .min)
    var without = AccountState()
    without.apply(exp: 500, caps: [])
    #expect(without.level == 1)
  }

  @Test(
    "the order and the sizes of deltas do not matter, only their sum",
    arguments: 1...50 as ClosedRange<UInt64>)
  func isAdditive(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let deltas = (0..<40).map { _ in Int64.random(in: -3_000...4_000, using: &numbers) }
    var whole = AccountState()
    whole.apply(exp: deltas.reduce(0, +), caps: Self.caps)
    var pieces = AccountState()
    for delta in deltas.shuffled(using: &numbers) { pieces.apply(exp: delta, caps: Self.caps) }
    #expect(whole == pieces, "seed \(seed)")
  }
}
