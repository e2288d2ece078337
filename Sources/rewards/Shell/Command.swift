import Failures
import StrictJSON

/// A command of the program.
protocol Command: Sendable {
  /// Its name, arguments and help.
  static var spec: CommandSpec { get }
  /// The shapes of the documents that it prints with `--format json`; none if it prints no document.
  static var outputs: [JSONShape] { get }
  /// Does the work and prints the result; throws ``Failure`` or an error that it can describe.
  static func run(_ arguments: ParsedArguments, in context: CommandContext) async throws -> ExitCode
  /// Returns how a command line uses several ledgers; by default, as the command does.
  static func shards(_ arguments: ParsedArguments) -> ShardUse
  /// Whether a command line makes a second round over those of several ledgers that say "try again".
  static func needsTwoRounds(_ arguments: ParsedArguments) -> Bool
}

extension Command {
  static var outputs: [JSONShape] { [] }

  static func shards(_ arguments: ParsedArguments) -> ShardUse { spec.shards }

  static func needsTwoRounds(_ arguments: ParsedArguments) -> Bool { false }
}

/// A command's name, arguments and help.
struct CommandSpec: Sendable {
  /// An argument that is not an option.
  struct Argument: Equatable, Sendable {
    /// The placeholder for it in help.
    let name: String
    /// Whether it may be left out; only allowed at the end.
    let isOptional: Bool
    /// A one-line description.
    let help: String
    /// What its values are, for completion; by default, its name.
    let values: String
    /// How its value identifies the user whom the command is about; nil if it does not.
    let subject: Subject?
    /// The value that it has when it is left out; nil if that is for the command to say.
    let preset: String?

    /// How a value identifies a user.
    enum Subject: Sendable {
      /// The value is the user's id.
      case user
      /// The value is a key that begins with the user's id.
      case userOfKey
    }

    init(
      _ name: String, isOptional: Bool = false, values: String? = nil, subject: Subject? = nil,
      preset: String? = nil, help: String
    ) {
      self.preset = preset
      self.name = name
      self.values = values ?? name
      self.isOptional = isOptional
      self.subject = subject
      self.help = help
    }

    /// The user whom a command is about.
    static func user(_ name: String = "USER", isOptional: Bool = false) -> Argument {
      Argument(
        name, isOptional: isOptional, values: "USER", subject: .user, help: "the user's id")
    }

    /// The key of the grant that a command is about.
    static func grantKey(isOptional: Bool = false) -> Argument {
      Argument(
        "KEY", isOptional: isOptional, subject: .userOfKey,
        help: "the grant's key, such as 4711/2026-11-20/gift")
    }
  }

  /// An example command line and what it does.
  struct Example: Equatable, Sendable {
    let line: String
    let does: String

    init(_ line: String, _ does: String) {
      self.line = line
      self.does = does
    }
  }

  /// The words of its name, such as `ledger verify`.
  let name: String
  /// A one-line summary.
  let summary: String
  /// Further details: paragraphs, divided by empty lines.
  let details: String
  let arguments: [Argument]
  let options: [CommandOption]
  let examples: [Example]
  /// How it uses several ledgers.
  let shards: ShardUse
  /// Whether it has a meaning only where `data` is a database.
  let isForDatabases: Bool
  /// Whether its output goes through a pager on a terminal.
  let isPaged: Bool
  /// How many days up to today it is about when no days are given; nil if that is for the command to say.
  let usualDays: Int32?

  init(
    _ name: String, _ summary: String, shards: ShardUse = .each, isForDatabases: Bool = false,
    isPaged: Bool = false, usualDays: Int32? = nil, details: String = "",
    arguments: [Argument] = [], options: [CommandOption] = [], examples: [Example]
  ) {
    self.shards = shards
    self.isForDatabases = isForDatabases
    self.isPaged = isPaged
    self.usualDays = usualDays
    self.name = name
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.examples = examples
  }

  /// Returns the names of the files that a command line gives.
  func files(in given: ParsedArguments) -> [String] {
    options.filter { $0.valueName == "FILE" }.flatMap { given.values($0.name) }
      + zip(arguments, given.arguments).filter { $0.0.name == "FILE" }.map(\.1)
  }

  /// The command with everything it demands, on one line.
  var usage: String {
    let words = arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    let required = options.filter(\.isRequired).map(\.synopsis)
    return (["rewards \(name)"] + words + required + ["[OPTION…]"]).joined(separator: " ")
  }
}
