/// What a command line asks for.
enum Invocation: Sendable {
  /// Run a command.
  case command(any Command.Type, ParsedArguments)
  /// Explain a command.
  case help(CommandSpec)
  /// List the commands whose names begin with these words; all when there are none.
  case overview(group: String)
}
