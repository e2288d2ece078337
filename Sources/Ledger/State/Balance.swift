public import CivilTime
public import Described
public import RewardRules

/// What a user has, including open days.
public struct Balance: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The shop points, the exp within the level, and the cheer coins given by this ledger.
  public var amounts: Amounts
  /// The level, from 1.
  public var level: Int32
  /// Items, as `CATEGORY/ITEM`, sorted.
  public var items: [String]
  /// When the last booster ends; nil if there never was one.
  public var boosterUntil: Instant?
  /// The login streak.
  public var streak: StreakState

  /// Shop points.
  public var points: Int64 { amounts.points }
  /// Exp within the level.
  public var exp: Int64 { amounts.exp }
  /// The cheer coins given by this ledger.
  public var coins: Int64 { amounts.coins }
}

extension Balance: JSONObject {
  /// Everything except the user's id.
  public static let members = JSONMembers<Self> {
    for unit in RewardUnit.allCases {
      $0.add(unit.rawValue) { $0.amounts[unit] }
      if unit == .exp { $0.add("level", \.level) }
    }
    $0.add("items", \.items)
    $0.add("boosterUntil", \.boosterUntil)
    $0.object("streak", \.streak) {
      $0.add("length", \.length)
      $0.add("cycleDay", \.cycleDay)
      $0.add("longest", \.longest)
      $0.add("lastDay", \.lastDay)
    }
  }
}

extension LedgerState {
  /// Returns a user's balance; nil if the ledger does not know the user.
  public func balance(of user: String) -> Balance? {
    guard var account = account(of: user) else { return nil }
    account.settleAll(caps: rules.caps(on:))
    let state = account.state
    return Balance(
      user: user, amounts: Amounts(account.holdings, exp: state.exp), level: state.level,
      items: state.owned.sorted(), boosterUntil: state.boosterUntil, streak: state.streak)
  }
}

extension Balance {
  /// The user's id, then everything else.
  public static let membersWithUser = JSONMembers<Self> {
    $0.add("user", \.user)
    $0.include { $0 }
  }
}
