/// Why a secret could not be fetched: from where and the cause, never what it is.
public struct SecretError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the secret should be.
  public let reference: SecretReference
  /// What is wrong there.
  public let what: String

  /// The place and the cause, on one line.
  public var description: String { "the secret in \(reference) \(what)" }
}
