import Configuration
import Failures
import Operations

/// The options of commands that record an act of a person.
enum ActorArgument {
  /// Who acts.
  static let option = CommandOption(
    "actor", "NAME", help: "who acts, for the record, beside the account that calls")

  /// Who acts, as records have it, for a command that is carried out here; throws as ``ActorName/text(_:_:_:)``.
  static func parse(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration
  ) throws(Failure) -> String {
    try ActorName.text(arguments.value("actor"), context.environment.account, configuration)
  }
}

/// Reads which request of somebody else an act approves.
enum ApprovalArgument {
  /// The option of every command that may be too much for one person.
  static let option = CommandOption(
    "approve", "ID", help: "do what somebody else has asked for: see rewards approvals")
}
