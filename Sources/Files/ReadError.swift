public import Failures
internal import Glibc

/// Why a file could not be used: which one, what was tried and what the system answered.
public struct ReadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// What the system or we say against it.
  public let what: String
  /// The system's error number; 0 when it is our own objection.
  public let code: Int32

  /// An objection of our own.
  public init(path: String, what: String) {
    self.path = path
    self.what = what
    code = 0
  }

  /// What the system answered.
  public init(path: String, code: Int32) {
    self.path = path
    what = String(cString: strerror(code))
    self.code = code
  }

  /// Whether there is no such file.
  public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  /// Whether we may not touch it.
  public var isForbidden: Bool { code == EACCES || code == EPERM }

  /// The file and the cause, on one line.
  public var description: String { "\(path): \(what)" }
}

extension ReadError: FailureConvertible {
  /// Bad data where the objection is our own, else what the system's number means, placed at the file.
  public var failure: Failure {
    let code: ExitCode =
      isMissing ? .noInput : isForbidden ? .permission : code == 0 ? .badData : .inputOutput
    return Failure(code, what, place: path)
  }
}
