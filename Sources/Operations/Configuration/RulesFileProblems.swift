internal import RewardRules
public import StrictJSON

/// All mistakes of one rules file.
public struct RulesFileProblems: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  public let file: String
  /// The mistakes, in the order in which they were met.
  public let problems: [DocumentProblem]

  init(file: String, problems: RulesProblems) {
    self.file = file
    self.problems = problems.problems
  }

  /// One line per mistake, each with file, line and path.
  public var lines: [String] {
    problems.map { ConfigurationProblem(file: file, $0).description }
  }

  /// All mistakes on one line.
  public var description: String { lines.joined(separator: "; ") }
}
