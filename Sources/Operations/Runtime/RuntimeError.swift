package import Failures

/// The reason work with a data folder cannot begin, with its remedy.
package struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure, which determines the exit code.
  package enum Kind: Sendable {
    /// The configuration is wrong.
    case configuration
    /// The clock cannot be right.
    case clock
    /// The stated present is impossible for this ledger.
    case present
    /// Other shards of the database have not counted their streaks yet.
    case shards
    /// The lines of a ledger are inconsistent.
    case lines
  }

  /// The kind of failure.
  package let kind: Kind
  /// What is wrong.
  package let cause: String
  /// What to do.
  package let remedy: String

  /// The cause and the remedy.
  package var description: String { "\(cause); \(remedy)" }
}

extension RuntimeError {
  /// The remedy for a clock that is behind the last record.
  package static let aheadRemedy =
    "correct it, or, if it was ahead before, take back what was written then: rewards doctor --undo-future"
  /// The remedy for a clock that is not trusted.
  package static let clockRemedy = "correct it, or confirm it with rewards doctor --accept-clock"
}

extension RuntimeError: FailureConvertible {
  /// The failure that its kind stands for.
  package var failure: Failure {
    let code: ExitCode =
      switch kind {
      case .configuration: .configuration
      case .clock, .shards: .tryAgain
      case .present: .usage
      case .lines: .badData
      }
    return Failure(code, cause, place: kind == .present ? "--now" : nil, remedy: remedy)
  }
}
