internal import CPostgreSQL
package import Failures

/// Why the database failed.
package struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server's five-character state (PostgreSQL's appendix A), or one of this client's own: `08006` for a broken
  /// connection, `08001` for a failed connection attempt, `57014` for a late answer, `53300` if all connections of this
  /// process are in use.
  package let state: String
  /// The server's or the library's message on one line, without the address's password.
  package let message: String

  /// Creates an error with a state and a message.
  package init(state: String, message: String) {
    self.state = state
    self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// The message, with the state to look it up by.
  package var description: String { "\(message) (SQLSTATE \(state))" }

  /// Whether the connection is unusable, so that the outcome of a pending `COMMIT` is unknown.
  package var isDisconnection: Bool {
    state.hasPrefix("08") || state.hasPrefix("57P") || state == "57014" || state == "40003"
  }

  /// Whether the account lacks the right to do this, or to connect (class 28).
  package var isRefusal: Bool { state == "42501" || state.hasPrefix("28") }

  /// Whether it may succeed later: a lock is held, resources are used up, or the server accepts no writes at the
  /// moment.
  package var isTransient: Bool {
    wantsAnotherTry || state == "55P03" || state == "25006" || state.hasPrefix("53")
  }

  /// Whether the server asks to repeat the whole transaction, none of which took effect.
  package var wantsAnotherTry: Bool { state == "40001" || state == "40P01" }
}

extension DatabaseError: FailureConvertible {
  /// The failure that the state stands for.
  package var failure: Failure {
    // A feature that this version of the server or library lacks.
    if state == "0A000" { return Failure(.usage, message) }
    let code: ExitCode =
      isDisconnection ? .unavailable : isRefusal ? .permission : isTransient ? .tryAgain : .badData
    return Failure(
      code, description, remedy: "Check the database server and the account's permissions.")
  }
}
