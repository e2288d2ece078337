package import Failures
package import Foundations
package import RewardRules
package import StrictJSON

/// Reads the rules documents that the configuration names.
package enum RulesFiles {
  /// A document and the file it came from; nil for the built-in rules.
  package struct Loaded: Sendable {
    /// The file.
    package let file: String?
    /// The document.
    package let document: RulesDocument
  }

  /// Reads one document; throws ``Foundations/ReadError`` or ``RulesFileProblems``.
  package static func read(
    _ file: String, in files: any FileSystem = PosixFileSystem()
  ) throws -> RulesDocument {
    let text = try files.readInput(file, limitBytes: RulesDocument.maximumBytes + 1)
    return try RulesDocument.parse(text).mapError { RulesFileProblems(file: file, problems: $0) }
      .get()
  }

  /// Reads the configured documents in order; returns the built-in rules when there are none.
  package static func load(_ configuration: Configuration) throws -> [Loaded] {
    if configuration.rules.isEmpty { return [Loaded(file: nil, document: .builtIn)] }
    return try configuration.rules.map {
      Loaded(file: $0, document: try read($0, in: configuration.files))
    }
  }
}

/// Every mistake in one rules file.
package struct RulesFileProblems: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  package let file: String
  /// The mistakes, in the order found.
  package let problems: [DocumentProblem]

  init(file: String, problems: RulesProblems) {
    self.file = file
    self.problems = problems.problems
  }

  /// One line per mistake, each with file, line and path.
  package var lines: [String] {
    problems.map { ConfigurationProblem(file: file, $0).description }
  }

  /// All mistakes, on one line.
  package var description: String { lines.joined(separator: "; ") }
}

extension RulesFileProblems: FailureConvertible {
  /// A bad-data failure that lists each mistake with its place.
  package var failure: Failure {
    var failure = Failure(.badData, problems: lines)
    failure.remedy = "correct it, and try it with rewards rules check \(file)"
    return failure
  }
}
