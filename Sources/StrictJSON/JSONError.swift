/// Where and why a text is not the expected JSON.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number of bytes before the offending one.
  public let offset: Int
  /// What is wrong there, in words for an operator.
  public let what: String

  /// Creates an error at a byte offset.
  public init(offset: Int, what: String) {
    self.offset = offset
    self.what = what
  }

  /// The place and the cause on one line.
  public var description: String { "byte \(offset): \(what)" }
}
