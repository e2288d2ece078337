/// Counts what is in the ledger.
struct LedgerStatsCommand: Command {
  static let spec = CommandSpec(
    "ledger stats", "records, grants and sums in the ledger",
    examples: [
      .init("rewards ledger stats", "how much there is of what"),
      .init("rewards ledger stats --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
