public import StrictJSON

/// All mistakes of one rules document, in the order in which they were met.
public struct RulesProblems: Error, Sendable, Equatable, CustomStringConvertible {
  /// The mistakes, each with the path of the offending value.
  public let problems: [DocumentProblem]

  /// One mistake a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
