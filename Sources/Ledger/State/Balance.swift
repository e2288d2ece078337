public import CivilTime
public import Described
public import RewardRules

/// What a user has, including open days.
public struct Balance: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// What the user earned, was credited and has spent; all exp, whatever levels it made.
  public var holdings: Holdings
  /// Exp within the level.
  public var exp: Int64
  /// The level, from 1.
  public var level: Int32
  /// Items, as `CATEGORY/ITEM`, sorted.
  public var items: [String]
  /// When the last booster ends; nil if there never was one.
  public var boosterUntil: Instant?
  /// The login streak.
  public var streak: StreakState

  /// What is left of shop points.
  public var points: Int64 { holdings.sum.points }
  /// What is left of cheer coins.
  public var coins: Int64 { holdings.sum.coins }
  /// What is left of points and coins, and the exp within the level.
  public var amounts: Amounts {
    var amounts = holdings.sum
    amounts.exp = exp
    return amounts
  }
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
    $0.add("expTotal", \.holdings.sum.exp, "all exp, across levels")
    $0.include(\.holdings)
  }
}

extension Holdings: JSONObject {
  /// The units that are held, by where they came from.
  public static let members = JSONMembers<Self> {
    $0.object("earned", \.earned, of: held)
    $0.object("credited", \.credited, of: held)
    $0.object("spent", \.spent, of: held)
  }

  private static func held(_ members: inout JSONMembers<Amounts>) {
    for unit in RewardUnit.held { members.add(unit.rawValue) { $0[unit] } }
  }
}

extension LedgerState {
  /// Returns a user's balance; nil if the ledger does not know the user.
  public func balance(of user: String) -> Balance? {
    guard var account = account(of: user) else { return nil }
    account.settleAll(caps: rules.caps(on:))
    let state = account.state
    return Balance(
      user: user, holdings: account.holdings, exp: state.exp, level: state.level,
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
