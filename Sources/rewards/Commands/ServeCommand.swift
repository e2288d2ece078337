/// Runs the service.
struct ServeCommand: Command {
  static let spec = CommandSpec(
    "serve", "the service: polls, judges, grants, delivers, runs the jobs",
    details: """
      SIGTERM finishes the batch in hand and exits 0; SIGHUP reads users and rules again.
      """,
    options: [
      .init("dry-run", help: "look and judge, but append and send nothing")
    ],
    examples: [
      .init("rewards serve", "run with ./rewards.json"),
      .init(
        "rewards serve --config /etc/rewards/rewards.json --log-level info",
        "run as a system service"),
      .init("rewards serve --dry-run", "see what it would grant"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
