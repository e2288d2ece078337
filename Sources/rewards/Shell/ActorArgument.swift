import Configuration
import Failures

/// Reads who acts, for the records of people's acts.
enum ActorArgument {
  /// The option of every command that records an act.
  static let option = CommandOption(
    "actor", "NAME", help: "who acts, for the record, beside the account that calls")

  private static let limitBytes = 64

  /// The calling account, before it the name that `--actor` gives, as `alice (account deploy)`.
  ///
  /// Throws ``ExitCode/usage`` when the name cannot stand in a record, or is missing although the configuration requires one.
  static func parse(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration
  ) throws(Failure) -> String {
    let account = context.environment.account
    guard let name = arguments.value("actor") else {
      guard !configuration.requiresActor else {
        throw Failure(
          .usage, "--actor NAME is missing",
          remedy: "The configuration says \"requireActor\": true.")
      }
      return account
    }
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " ._-@+".unicodeScalars.contains(scalar)
    }
    guard isPlain, name.contains(where: { !$0.isWhitespace }), name.utf8.count <= limitBytes else {
      throw Failure(
        .usage, "a name has 1 to \(limitBytes) bytes of letters, digits and . _ - @ +",
        place: "--actor")
    }
    return "\(name) (account \(account))"
  }
}

/// Reads which request of somebody else an act approves.
enum ApprovalArgument {
  /// The option of every command that may be too much for one person.
  static let option = CommandOption(
    "approve", "ID", help: "do what somebody else has asked for: see rewards approvals")
}
