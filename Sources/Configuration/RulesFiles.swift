public import Failures
public import Foundations
public import RewardRules
public import StrictJSON

/// Reads the rules documents that the configuration names.
public enum RulesFiles {
  /// A document and the file it came from; nil for the built-in rules.
  public struct Loaded: Sendable {
    /// The file.
    public let file: String?
    /// The document.
    public let document: RulesDocument
  }

  /// Reads one document; throws ``Foundations/ReadError`` or ``RulesFileProblems``.
  public static func read(
    _ file: String, in files: any FileSystem = PosixFileSystem()
  ) throws -> RulesDocument {
    let text = try files.readInput(file, limitBytes: RulesDocument.maximumBytes + 1)
    return try RulesDocument.parse(text).mapError { RulesFileProblems(file: file, problems: $0) }
      .get()
  }

  /// Reads the configured documents in order; returns the built-in rules when there are none.
  public static func load(_ configuration: Configuration) throws -> [Loaded] {
    if configuration.rules.isEmpty { return [Loaded(file: nil, document: .builtIn)] }
    return try configuration.rules.map {
      Loaded(file: $0, document: try read($0, in: configuration.files))
    }
  }
}

/// Every mistake in one rules file.
public struct RulesFileProblems: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  public let file: String
  /// The mistakes, in the order found.
  public let problems: [DocumentProblem]

  init(file: String, problems: RulesProblems) {
    self.file = file
    self.problems = problems.problems
  }

  /// One line per mistake, each with file, line and path.
  public var lines: [String] {
    problems.map { ConfigurationProblem(file: file, $0).description }
  }

  /// All mistakes, on one line.
  public var description: String { lines.joined(separator: "; ") }
}

extension RulesFileProblems: FailureConvertible {
  /// A bad-data failure that lists each mistake with its place.
  public var failure: Failure { Failure(.badData, problems: lines) }
}
