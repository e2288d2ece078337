/// Lists the users.
struct UsersListCommand: Command {
  static let spec = CommandSpec(
    "users list", "the users, with their zones",
    examples: [
      .init("rewards users list", "everybody"),
      .init("rewards users list --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
