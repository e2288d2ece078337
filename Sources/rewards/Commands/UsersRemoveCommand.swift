/// Ends the watch over a user.
struct UsersRemoveCommand: Command {
  static let spec = CommandSpec(
    "users remove", "stop watching a user; what was granted stays in the ledger",
    arguments: [
      .init("ID", help: "the user's id")
    ],
    examples: [
      .init("rewards users remove 4711", "the user is not judged from now on")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
