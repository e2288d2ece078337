/// Takes activities that no route of the API tells.
struct IngestCommand: Command {
  static let spec = CommandSpec(
    "ingest", "take in activities from a file or standard input",
    details: """
      One JSON object per line: {"user","kind","at","id"?}, {"user","credit":…} or
      {"completeThrough": INSTANT}. Duplicates are fine. Bad lines are set aside with the reason; the
      good ones are judged at once.
      """,
    arguments: [
      .init("FILE", help: "the lines, - for standard input")
    ],
    examples: [
      .init("rewards ingest logins.jsonl", "from a file"),
      .init(
        "echo '{\"user\":\"4711\",\"kind\":\"login\",\"at\":\"2026-11-20T08:00:00Z\"}' | rewards ingest -",
        "one login"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
