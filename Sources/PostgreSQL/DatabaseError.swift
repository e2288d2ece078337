internal import CPostgreSQL
public import Failures

/// Why a database did not do what it was asked to.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server's five characters (PostgreSQL's appendix A), or one of this client's own: `08006` for a connection that broke,
  /// `08001` for one that could not be made, `57014` for an answer that came too late, `53300` when all
  /// connections of this process are in use.
  public let state: String
  /// The server's or the library's words on one line, without the address's password.
  public let message: String

  /// An error with the server's characters and words.
  public init(state: String, message: String) {
    self.state = state
    self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// What it was, and the characters by which it is looked up.
  public var description: String { "\(message) (SQLSTATE \(state))" }

  /// Whether the connection is of no use any more, so that nobody knows what became of a `COMMIT` under way.
  public var isDisconnection: Bool {
    state.hasPrefix("08") || state.hasPrefix("57P") || state == "57014" || state == "40003"
  }

  /// Whether the account may not do this, or not come in (class 28).
  public var isRefusal: Bool { state == "42501" || state.hasPrefix("28") }

  /// Whether it may be done later: a lock that somebody holds, resources that are used up, a server that takes no writes just now.
  public var isForNow: Bool {
    wantsAnotherTry || state == "55P03" || state == "25006" || state.hasPrefix("53")
  }

  /// Whether the server asks to send the whole transaction again: nothing of it was done.
  public var wantsAnotherTry: Bool { state == "40001" || state == "40P01" }
}

extension DatabaseError: FailureConvertible {
  /// What the server's characters mean.
  public var failure: Failure {
    // What this version of the server, or of the library, cannot do.
    if state == "0A000" { return Failure(.usage, message) }
    let code: ExitCode =
      isDisconnection ? .unavailable : isRefusal ? .permission : isForNow ? .tryAgain : .badData
    return Failure(
      code, description, remedy: "Look after the database server and the account's rights.")
  }
}
