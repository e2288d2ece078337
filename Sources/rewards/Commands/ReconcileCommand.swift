import CivilTime
import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Makes the ledger say what it should, up to now.
struct ReconcileCommand: RequestingCommand {
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

  static func needsTwoRounds(_ arguments: ParsedArguments) -> Bool {
    !arguments.has("confirm") && !arguments.has("user")
  }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ReconcileRequest {
    ReconcileRequest(
      // "yesterday" means every day that has ended, in each zone.
      upTo: try arguments.value("day").flatMap {
        $0 == "yesterday" ? nil : try DayArgument.parse($0, place: "--day")
      },
      zones: arguments.values("zone"), users: arguments.values("user"),
      proves: arguments.has("prove"), isConfirmed: arguments.has("confirm"),
      actor: arguments.value("actor"), round: context.round)
  }

  static var outputs: [JSONShape] { [ReconcileText.output.shape] }

  static func show(
    _ report: ReconcileReport, of request: ReconcileRequest, in context: CommandContext
  ) -> ExitCode {
    for problem in report.problems { context.complain(problem) }
    context.report(report, as: ReconcileText.output) {
      ReconcileText.text(of: report, tellsDeferred: request.round?.isSecond ?? true)
    }
    if report.isPutOff { return .tryAgain }
    return report.needsAttention ? .attention : .done
  }
}
