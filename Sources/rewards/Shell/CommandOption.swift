import Operations

/// An option of a command, written `--name` or, with a value, `--name VALUE` or `--name=VALUE`.
struct CommandOption: Equatable, Sendable {
  /// The name without its dashes.
  let name: String
  /// The placeholder for the value in help; nil for a switch.
  let valueName: String?
  /// Whether it may be given more than once.
  let repeats: Bool
  /// Whether the command requires it.
  let isRequired: Bool
  /// The accepted values if there are only a few; otherwise empty.
  let choices: [String]
  /// Whether it has a meaning only where `data` is a database.
  let isForDatabases: Bool
  /// A one-line description.
  let help: String

  init(
    _ name: String, _ valueName: String? = nil, isRequired: Bool = false, repeats: Bool = false,
    choices: [String] = [], isForDatabases: Bool = false, help: String
  ) {
    self.name = name
    self.choices = choices
    self.isForDatabases = isForDatabases
    self.valueName = valueName
    self.isRequired = isRequired
    self.repeats = repeats
    self.help = help
  }

  /// The option as shown in help.
  var synopsis: String { "--\(name)\(valueName.map { " \($0)" } ?? "")" }

  /// What the reference says of everything that only a database gives a meaning.
  static let databaseRemark = "only with data in a database"

  /// The options that every command takes.
  static let common = [
    CommandOption("config", "FILE", help: "read this configuration (default: ./rewards.json)"),
    CommandOption("data", "DIR", help: "use this data folder instead of the configured one"),
    CommandOption(
      "shard", "N", isForDatabases: true,
      help: "work on this shard alone"),
    CommandOption(
      "format", "text|json", choices: OutputFormat.allCases.map(\.rawValue),
      help: "print results and errors like this (default: text)"),
    CommandOption("now", "INSTANT", help: "act as if it were this instant; not for rewards serve"),
    CommandOption(
      "log-level", "LEVEL", choices: LogLevel.allCases.map(\.rawValue),
      help: "log from this level on: debug, info, warning (default) or error"),
    CommandOption(
      "log-format", "FORMAT", choices: Log.Layout.allCases.map(\.rawValue),
      help: "log as logfmt (default) or json"),
    CommandOption("no-pager", help: "show long output on the terminal without a pager"),
    CommandOption("help", help: "show this help"),
  ]
}
