public import CivilTime
public import Ledger

/// One line of the roster.
public struct RosterEntry: Sendable, Equatable {
  /// The user's id.
  public let user: String
  /// The IANA zone; nil for the configured default.
  public let zone: String?
  /// The first judged day; nil for the day of the import.
  public let since: Day?
  /// The opening balance.
  public let opening: OpeningBalance?

  /// Creates an entry.
  public init(user: String, zone: String?, since: Day? = nil, opening: OpeningBalance? = nil) {
    self.user = user
    self.zone = zone
    self.since = since
    self.opening = opening
  }
}

/// A roster line that cannot be used.
public struct RosterProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line number, from 1.
  public let line: Int
  /// The cause and the remedy.
  public let what: String

  /// Creates a problem.
  public init(line: Int, what: String) {
    self.line = line
    self.what = what
  }

  /// The place and the cause on one line.
  public var description: String { "line \(line): \(what)" }
}
