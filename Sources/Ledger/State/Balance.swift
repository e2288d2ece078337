public import CivilTime
public import RewardRules
public import StrictJSON

/// What a user has, including open days.
public struct Balance: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// Shop points.
  public var points: Int64
  /// Exp within the level.
  public var exp: Int64
  /// The level, from 1.
  public var level: Int32
  /// The cheer coins given by this ledger.
  public var coins: Int64
  /// Items, as `CATEGORY/ITEM`, sorted.
  public var items: [String]
  /// When the last booster ends; nil if there never was one.
  public var boosterUntil: Instant?
  /// The login streak.
  public var streak: StreakState
}

extension Balance {
  /// Writes everything except the user's id as members of the open object.
  public func writeMembers(to json: inout JSONWriter) {
    json.member("points", points)
    json.member("exp", exp)
    json.member("level", level)
    json.member("coins", coins)
    json.member("items", items)
    json.member("boosterUntil", boosterUntil?.description)
    json.object("streak") { json in
      json.member("length", streak.length)
      json.member("cycleDay", streak.cycleDay)
      json.member("longest", streak.longest)
      json.member("lastDay", streak.lastDay?.description)
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
      user: user, points: account.points, exp: state.exp, level: state.level,
      coins: account.coins, items: state.owned.sorted(), boosterUntil: state.boosterUntil,
      streak: state.streak)
  }
}
