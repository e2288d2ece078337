/// Makes the ledger say what it should, up to now.
struct ReconcileCommand: Command {
  static let spec = CommandSpec(
    "reconcile", "look, judge and grant what is due; close the days that have ended",
    details: """
      Judges the running day too. Closes, in order, every day that has ended in each zone and is
      not closed yet. Running it twice appends nothing new.
      """,
    options: [
      .init("day", "DAY", help: "close up to this date, or \"yesterday\""),
      .init("zone", "ZONE", repeats: true, help: "only users of this zone"),
      .init("user", "ID", repeats: true, help: "judge only this user and close nothing"),
      .init("prove", help: "judge twice on the same looks; fail if the second appends"),
      .init("confirm", help: "close even where unusually many streaks would break"),
    ],
    examples: [
      .init("rewards reconcile", "everything that is due"),
      .init(
        "rewards reconcile --day yesterday --zone Asia/Tokyo --zone Europe/Paris",
        "two zones, up to yesterday there"),
      .init(
        "rewards reconcile --user 4711 --prove",
        "one user, and proof that a second run changes nothing"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    throw CommandFailure(.unavailable, "\"rewards \(spec.name)\" is not part of this build")
  }
}
