/// Checks the integrity of the ledger.
struct LedgerVerifyCommand: Command {
  static let spec = CommandSpec(
    "ledger verify", "check sequence and seals of the whole ledger; changes nothing",
    options: [
      .init("head", "SEQ:HASH", help: "a head that was noted elsewhere and must be in the ledger")
    ],
    examples: [
      .init("rewards ledger verify", "check everything"),
      .init("rewards ledger verify --data /backup/data --format json", "check a copy"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
