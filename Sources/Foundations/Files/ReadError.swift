package import Failures
internal import Glibc

/// The reason a file could not be used: the file, the attempt and the system's answer.
package struct ReadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  package let path: String
  /// The problem, in the system's words or in ours.
  package let what: String
  /// The system's error number; 0 when the objection is ours.
  package let code: Int32

  /// Creates an error for an objection of our own.
  package init(path: String, what: String) {
    self.path = path
    self.what = what
    code = 0
  }

  /// Creates an error from the system's error number.
  package init(path: String, code: Int32) {
    self.path = path
    what = String(cString: strerror(code))
    self.code = code
  }

  /// Whether there is no such file.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  /// Whether this process lacks permission.
  package var isForbidden: Bool { code == EACCES || code == EPERM }

  /// The file and the cause, on one line.
  package var description: String { "\(path): \(what)" }
}

extension ReadError: FailureConvertible {
  /// Bad data when the objection is ours, otherwise the meaning of the system's error number; placed at the file.
  package var failure: Failure {
    let code: ExitCode =
      isMissing ? .noInput : isForbidden ? .permission : code == 0 ? .badData : .inputOutput
    return Failure(code, what, place: path)
  }
}
