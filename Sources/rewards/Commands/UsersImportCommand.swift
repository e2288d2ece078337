/// Brings the roster into the ledger.
struct UsersImportCommand: Command {
  static let spec = CommandSpec(
    "users import", "bring the roster into the ledger; changes only what differs",
    details: """
      One JSON object per line: {"user","timezone","since"?,"deviceToken"?,"opening"?}.
      """,
    arguments: [
      .init("FILE", help: "the roster, - for standard input")
    ],
    examples: [
      .init("rewards users import users.jsonl", "new users, and those whose zone has changed"),
      .init("export-users | rewards users import -", "from another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
