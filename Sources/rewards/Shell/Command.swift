import Failures

/// One command of the program.
protocol Command: Sendable {
  /// Its name, arguments and help.
  static var spec: CommandSpec { get }
  /// Does the work and prints the result; throws ``Failure`` or an error that it knows to describe.
  static func run(_ arguments: ParsedArguments, in context: CommandContext) async throws -> ExitCode
  /// How a command line goes about several ledgers; by default as the command does.
  static func shards(_ arguments: ParsedArguments) -> ShardUse
  /// Whether a command line goes over several ledgers twice: over those again that say "try again".
  static func takesTwoRounds(_ arguments: ParsedArguments) -> Bool
}

extension Command {
  static func shards(_ arguments: ParsedArguments) -> ShardUse { spec.shards }

  static func takesTwoRounds(_ arguments: ParsedArguments) -> Bool { false }
}

/// What a command is called, what it takes and how it is explained.
struct CommandSpec: Sendable {
  /// An argument that is not an option.
  struct Argument: Equatable, Sendable {
    /// What stands for it in help.
    let name: String
    /// Whether it may be left out; only at the end.
    let isOptional: Bool
    /// What it is, in one line.
    let help: String
    /// What its values are, for completion; else its name.
    let values: String
    /// How its value leads to the user whom the command is about; nil if it does not.
    let subject: Subject?

    /// A way from a value to a user.
    enum Subject: Sendable {
      /// It is the user's id.
      case user
      /// It is a key that begins with the user's id.
      case userOfKey
    }

    init(
      _ name: String, isOptional: Bool = false, values: String? = nil, subject: Subject? = nil,
      help: String
    ) {
      self.name = name
      self.values = values ?? name
      self.isOptional = isOptional
      self.subject = subject
      self.help = help
    }

    /// The user whom a command is about.
    static func user(_ name: String = "USER", isOptional: Bool = false) -> Argument {
      Argument(name, isOptional: isOptional, subject: .user, help: "the user's id")
    }

    /// The key of the grant that a command is about.
    static let grantKey = Argument(
      "KEY", subject: .userOfKey, help: "the grant's key, as 4711/2026-11-20/gift")
  }

  /// A command line and what it does.
  struct Example: Equatable, Sendable {
    let line: String
    let does: String

    init(_ line: String, _ does: String) {
      self.line = line
      self.does = does
    }
  }

  /// The words of its name, as `ledger verify`.
  let name: String
  /// What it does, in one line.
  let summary: String
  /// What there is to know beyond that; whole lines.
  let details: String
  let arguments: [Argument]
  let options: [CommandOption]
  let examples: [Example]
  /// How it goes about several ledgers.
  let shards: ShardUse

  init(
    _ name: String, _ summary: String, shards: ShardUse = .each, details: String = "",
    arguments: [Argument] = [], options: [CommandOption] = [], examples: [Example]
  ) {
    self.shards = shards
    self.name = name
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.examples = examples
  }

  /// The command with all it takes, on one line.
  var usage: String {
    let words = arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    let switches = options.map { option in
      (option.isRequired ? option.synopsis : "[\(option.synopsis)]") + (option.repeats ? "…" : "")
    }
    return (["rewards \(name)"] + words + switches).joined(separator: " ")
  }
}
