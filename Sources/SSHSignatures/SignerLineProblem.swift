/// A problem with a line of allowed_signers, which is therefore ignored.
package struct SignerLineProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  package let line: Int
  /// What is wrong.
  package let cause: String
  /// What to do about it.
  package let remedy: String

  /// The place, the cause and the remedy on one line.
  package var description: String { "line \(line): \(cause); \(remedy)" }
}
