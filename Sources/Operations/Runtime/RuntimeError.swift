public import Failures

/// The reason work with a data folder cannot begin, with its remedy.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure, which determines the exit code.
  public enum Kind: Sendable {
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
  public let kind: Kind
  /// What is wrong.
  public let cause: String
  /// What to do.
  public let remedy: String

  /// The cause and the remedy.
  public var description: String { "\(cause); \(remedy)" }
}

extension RuntimeError {
  /// The remedy for a clock that is behind the last record.
  public static let aheadRemedy =
    "set it right, or, if it was ahead before, take back what it wrote: rewards doctor --undo-future"
  /// The remedy for a clock that is not trusted.
  public static let clockRemedy = "set it right, or confirm it with rewards doctor --accept-clock"
}

extension RuntimeError: FailureConvertible {
  /// The failure that its kind stands for.
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
