/// The reason something was not done: an exit code and, for people, the cause, place and remedy.
public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The exit code for the calling program.
  public var exitCode: ExitCode
  /// What is wrong.
  public var cause: String
  /// Further problems, each with its place.
  public var others: [String] = []
  /// File, line, key or argument; nil when the cause says it.
  public var place: String?
  /// What to do about it; nil when the cause says it.
  public var remedy: String?

  /// Creates a failure with one cause.
  public init(
    _ exitCode: ExitCode, _ cause: String, place: String? = nil, remedy: String? = nil
  ) {
    self.exitCode = exitCode
    self.cause = cause
    self.place = place
    self.remedy = remedy
  }

  /// Creates a failure from several problems, at least one, each with its place.
  public init(_ exitCode: ExitCode, problems: [String]) {
    self.init(exitCode, problems.first ?? "")
    others = Array(problems.dropFirst())
  }

  /// Creates a bad-data failure for a line of a file; lines count from 1.
  public init(line: Int, of file: String, _ cause: String) {
    self.init(.badData, cause, place: "\(file), line \(line)")
  }

  /// Creates the failure that `error` stands for; an error that does not define one is a bug in this program.
  public init(describing error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as any FailureConvertible: self = error.failure
    case is CancellationError: self.init(.tryAgain, "interrupted")
    default:
      self.init(
        .internalError, "\(error)",
        remedy: "This is a bug in rewards. Please report it with the command you ran.")
    }
  }

  /// Returns the failure placed at `place`, unless it already names a place.
  public func placed(at place: String?) -> Failure {
    var failure = self
    failure.place = failure.place ?? place
    return failure
  }

  /// The cause alone.
  public var description: String { cause }
}

/// An error that converts itself into a ``Failure``.
public protocol FailureConvertible: Error {
  /// The exit code, and the explanation for people.
  var failure: Failure { get }
}
