package import CivilTime
package import Ledger

/// One line of the roster.
package struct RosterEntry: Sendable, Equatable {
  /// The user's id.
  package let user: String
  /// The user's id at the app's API; nil if it is ``user``. The ledger never holds it.
  package let apiUser: String?
  /// The IANA zone; nil for the configured default.
  package let zone: String?
  /// The first judged day; nil for the day of the import.
  package let since: Day?
  /// The opening balance.
  package let opening: OpeningBalance?

  package init(
    user: String, apiUser: String? = nil, zone: String?, since: Day? = nil,
    opening: OpeningBalance? = nil
  ) {
    self.user = user
    self.apiUser = apiUser
    self.zone = zone
    self.since = since
    self.opening = opening
  }
}

/// A roster line that cannot be used.
package struct RosterProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line number, from 1.
  package let line: Int
  /// The cause and the remedy.
  package let what: String

  package init(line: Int, what: String) {
    self.line = line
    self.what = what
  }

  /// The place and the cause on one line.
  package var description: String { "line \(line): \(what)" }
}
