/// Tells what a user has.
struct BalanceCommand: Command {
  static let spec = CommandSpec(
    "balance", "a user's points, exp, level, coins, items, booster and streak",
    arguments: [
      .init("USER", help: "the user's id")
    ],
    options: [
      .init("at", "INSTANT", help: "as it was then")
    ],
    examples: [
      .init("rewards balance 4711", "what the user has now"),
      .init(
        "rewards balance 4711 --at 2026-11-01T00:00:00Z --format json",
        "what the user had then"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
