/// Why a credentials file cannot be used. Never repeats what the file holds.
public struct CredentialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The line, from 1; nil when the file as a whole is meant.
  public let line: Int?
  /// What is wrong and what to do.
  public let what: String

  /// The place and the cause, on one line.
  public var description: String {
    line.map { "\(path), line \($0): \(what)" } ?? "\(path): \(what)"
  }
}
