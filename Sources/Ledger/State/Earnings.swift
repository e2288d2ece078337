public import CivilTime
import RewardRules

/// What the ledger has given a user: for a store to which others also write, and to which only differences may be added.
///
/// Nothing in it comes from an opening balance or a credit, except that ``boosterUntil`` counts the boosters of both.
public struct Earnings: Sendable, Equatable {
  /// Shop points, as the sum of grants, adjustments and reversals.
  public var points: Int64 = 0
  /// All exp, as the same sum.
  public var exp: Int64 = 0
  /// The days with a login reward that is still required.
  public var logins: Int64 = 0
  /// The cycle day of the streak, from 1; 0 for none.
  public var cycleDay: Int32 = 0
  /// Items as `CATEGORY/ITEM`, sorted; without those that are also known from elsewhere.
  public var items: [String] = []
  /// The items known from elsewhere.
  public var elsewhere: Set<String> = []
  /// The duration of all boosters ever granted, in seconds; never decreases.
  public var boosterSeconds: Int64 = 0
  /// The latest end of any of them; nil if there never was one.
  public var grantedBoosterUntil: Instant?
  /// When the user's last booster ends; nil if there never was one.
  public var boosterUntil: Instant?

  /// Creates the earnings of a user who was given nothing.
  public init() {}
}

extension LedgerState {
  /// Returns what a user was given; nil if the ledger does not know the user.
  public func earnings(of user: String) -> Earnings? {
    guard var account = account(of: user) else { return nil }
    account.settleAll(caps: rules.caps(on:))
    var earnings = Earnings()
    earnings.points = account.holdings.earned.points
    earnings.exp = account.holdings.earned.exp
    earnings.logins = Int64(account.logins)
    earnings.cycleDay = account.state.streak.cycleDay
    earnings.items = account.state.owned.subtracting(account.creditedItems).sorted()
    earnings.elsewhere = account.creditedItems
    earnings.boosterSeconds = account.boosterSeconds
    earnings.grantedBoosterUntil = account.grantedBoosterUntil
    earnings.boosterUntil = account.state.boosterUntil
    return earnings
  }

  /// Returns the missions and the login, by name, that a user was rewarded for on an open day and that were not taken back.
  public func rewarded(_ user: String, on day: Day) -> Set<String> {
    guard let account = account(of: user) else { return [] }
    return Set(
      account.grants.open.compactMap { grant in
        guard !grant.isReversed, !grant.isVoid, let key = grant.key, key.day == day else {
          return nil
        }
        return key.mission
      })
  }
}
