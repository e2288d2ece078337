/// Why something was not done, for whoever asked: an exit code and, for people, cause, place and remedy.
public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What it means to a program.
  public var exitCode: ExitCode
  /// What is wrong.
  public var cause: String
  /// What else is wrong, each with its place.
  public var others: [String] = []
  /// File, line, key or argument; nil when the cause says it.
  public var place: String?
  /// What to do about it; nil when the cause says it.
  public var remedy: String?

  /// A failure with one cause.
  public init(
    _ exitCode: ExitCode, _ cause: String, place: String? = nil, remedy: String? = nil
  ) {
    self.exitCode = exitCode
    self.cause = cause
    self.place = place
    self.remedy = remedy
  }

  /// Several mistakes at once, each with its place; one at least.
  public init(_ exitCode: ExitCode, problems: [String]) {
    self.init(exitCode, problems.first ?? "")
    others = Array(problems.dropFirst())
  }

  /// Bad data in a line of a file, which is counted from 1.
  public init(line: Int, of file: String, _ cause: String) {
    self.init(.badData, cause, place: "\(file), line \(line)")
  }

  /// What `error` means; one that does not say so itself is a mistake of this program.
  public init(describing error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as any FailureConvertible: self = error.failure
    case is CancellationError: self.init(.tryAgain, "interrupted")
    default:
      self.init(
        .internalError, "\(error)",
        remedy: "This is a mistake of the program; report it with the command line.")
    }
  }

  /// The same at `place`, unless it names one itself.
  public func placed(at place: String?) -> Failure {
    var failure = self
    failure.place = failure.place ?? place
    return failure
  }

  /// The cause alone.
  public var description: String { cause }
}

/// An error that says itself what it means to whoever asked.
public protocol FailureConvertible: Error {
  /// The exit code, and what people are told.
  var failure: Failure { get }
}
