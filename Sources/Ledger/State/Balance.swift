public import CivilTime
public import RewardRules
public import StrictJSON

/// What a user has, open days included.
public struct Balance: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// Shop points.
  public var points: Int64
  /// Exp within the level.
  public var exp: Int64
  /// 1 to 30.
  public var level: Int32
  /// Cheer coins that this ledger has given.
  public var coins: Int64
  /// Items as `CATEGORY/ITEM`, sorted.
  public var items: [String]
  /// When the last booster ends, nil when none was ever given.
  public var boosterUntil: Instant?
  /// The login streak.
  public var streak: StreakState
}

extension Balance {
  /// Writes all but the user's id, as members of the object that is open.
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
  /// Returns the balance of a user, or nil when the ledger does not know the user.
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
