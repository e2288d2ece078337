import CivilTime
import Failures
import Operations
import Scheduling
import StrictJSON

/// Makes the ledger say what it should, up to now.
struct ReconcileCommand: WritingCommand {
  static let spec = CommandSpec(
    "reconcile", "look, judge and grant what is due; close the days that have ended",
    details: """
      Judges the running day too. Closes, in order, every day that has ended in each zone and is
      not closed yet. Running it twice appends nothing new.

      It goes over several shards of a database twice: first each looks and counts how streaks would
      fare, then each closes what all have counted.
      """,
    options: [
      .init("day", "DAY", help: "close up to this date, or \"yesterday\""),
      .init("zone", "ZONE", repeats: true, help: "only users of this zone"),
      .init("user", "ID", repeats: true, help: "judge only this user and close nothing"),
      .init("prove", help: "judge twice on the same looks; fail if the second appends"),
      CountedArgument.flag, CountedArgument.since,
      .init("confirm", help: "close even where unusually many streaks would break"),
      ActorArgument.option,
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

  static func takesTwoRounds(_ arguments: ParsedArguments) -> Bool {
    CountedArgument.isLeftOut(arguments) && !arguments.has("confirm") && !arguments.has("user")
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let zones = try arguments.values("zone").map { try context.zones.zone(named: $0).name }
    let order = ReconcileOrder(
      // "yesterday" is every day that has ended, in each zone.
      day: try arguments.value("day").flatMap {
        $0 == "yesterday" ? nil : try DayArgument.parse($0, place: "--day")
      },
      zones: Set(zones), users: arguments.values("user"), proves: arguments.has("prove"),
      isConfirmed: arguments.has("confirm"), closesCounted: arguments.has("counted"),
      countedSince: try CountedArgument.parse(arguments, at: runtime),
      actor: arguments.has("confirm")
        ? try ActorArgument.parse(arguments, in: context, runtime.configuration) : nil)
    let bar = context.progress("looking", total: 0)
    let report = try await Reconciliation(runtime, order) { done, total in
      bar.update(done: done, of: total)
    }.run()
    bar.finish()
    for problem in report.problems { context.complain(problem) }
    context.report {
      ReconcileText.text(of: report, tellsDeferred: !CountedArgument.hasSecondRound(arguments))
    } json: { json in
      ReconcileText.write(report, to: &json)
    }
    if report.isPutOff { return .tryAgain }
    return report.needsAttention ? .attention : .done
  }
}
