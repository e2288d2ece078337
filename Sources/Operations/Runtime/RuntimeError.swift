public import Failures

/// Why work with a data folder cannot begin: place, cause and remedy.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure, for the exit code.
  public enum Kind: Sendable {
    /// Something is configured wrongly.
    case configuration
    /// The clock cannot be right.
    case clock
    /// The present that is stated cannot be this ledger's.
    case present
    /// Other shards of the database have not counted their streaks yet.
    case shards
    /// The lines of a ledger do not hold together.
    case lines
  }

  /// What kind.
  public let kind: Kind
  /// What is wrong.
  public let cause: String
  /// What to do.
  public let remedy: String

  /// The cause and the remedy.
  public var description: String { "\(cause); \(remedy)" }
}

extension RuntimeError {
  /// What to do about a clock that shows a time before the last record.
  public static let aheadRemedy =
    "set it right, or, if it was ahead before, take back what it wrote: rewards doctor --undo-future"
  /// What to do about a clock that is not trusted.
  public static let clockRemedy = "set it right, or confirm it with rewards doctor --accept-clock"
}

extension RuntimeError: FailureConvertible {
  /// What its kind means.
  public var failure: Failure {
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
