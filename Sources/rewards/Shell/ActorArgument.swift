import Configuration
import Failures
import Operations

/// The option that names the person who acts.
enum ActorArgument {
  /// The option of commands that record an act of a person.
  static let option = CommandOption(
    "actor", "NAME", help: "your name, recorded beside your account")

  /// Returns who acts, as recorded, for a command that is carried out here. Throws as ``ActorName/text(_:_:_:)``.
  static func parse(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration
  ) throws(Failure) -> String {
    try ActorName.text(arguments.value("actor"), context.environment.account, configuration)
  }
}

/// The option that approves another person's request.
enum ApprovalArgument {
  /// The option of every command that may need a second person.
  static let option = CommandOption(
    "approve", "ID", help: "approve this request of another person: see rewards approvals")
}
