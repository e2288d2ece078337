package import CivilTime
package import Ledger

/// What a user's document should have been given, as of one line of the ledger.
package struct CurrentEarnings: Sendable, Equatable {
  /// The ledger's id.
  package var ledger: String
  /// The ledger's last line.
  package var position: UInt64
  /// What the ledger has given the user.
  package var earnings: Earnings
  /// The exp that fills each level, from level 1 on.
  package var caps: [Int64]
  /// The user's running day.
  package var day: DayWindow
  /// The missions and the login, by name, that were rewarded for that day.
  package var rewarded: Set<String>

  /// Creates earnings.
  package init(
    ledger: String, position: UInt64, earnings: Earnings, caps: [Int64], day: DayWindow,
    rewarded: Set<String>
  ) {
    self.ledger = ledger
    self.position = position
    self.earnings = earnings
    self.caps = caps
    self.day = day
    self.rewarded = rewarded
  }
}

/// A source of users' earnings.
package protocol EarningsSource: Sendable {
  /// Returns what the ledger has given these users, all as of the same line; leaves out those that it does not know.
  func earnings(of users: [String], at now: Instant) async -> [String: CurrentEarnings]
}
