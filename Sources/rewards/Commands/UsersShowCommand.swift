/// Shows one user.
struct UsersShowCommand: Command {
  static let spec = CommandSpec(
    "users show", "one user: zones, since when, streak",
    arguments: [
      .init("ID", help: "the user's id")
    ],
    examples: [
      .init("rewards users show 4711", "what is known of a user")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
