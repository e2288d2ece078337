/// Tells the last seal of the ledger.
struct LedgerHeadCommand: Command {
  static let spec = CommandSpec(
    "ledger head", "sequence and hash of the last seal, to be kept elsewhere",
    examples: [
      .init("rewards ledger head", "SEQ:HASH, for \"ledger verify --head\"")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
