import CivilTime
import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Makes the ledger say what it should, up to now.
struct ReconcileCommand: RequestingCommand {
  static let spec = CommandSpec(
    "reconcile", "poll, judge and grant what is due; close the days that have ended",
    details: """
      It also judges the running day. It closes, in order, every day that has ended in each
      zone and is not closed yet. A second run appends nothing. Exits 1 if something needs
      attention; what is unknown only because a new user came during the day does not.

      In a database with several shards it makes two rounds: in the first each shard polls
      and counts how its streaks would fare, in the second each closes what all have
      counted.
      """,
    options: [
      .init(
        "day", "DAY|yesterday",
        help: "close up to this date; yesterday closes every ended day in each zone (the default)"),
      .init("zone", "ZONE", repeats: true, help: "only users in this zone"),
      .init("user", "USER", repeats: true, help: "judge only this user, and close nothing"),
      .init("prove", help: "judge twice on the same polls; fail if the second time would append"),
      .init("confirm", help: "close even if unusually many streaks would break"),
      ActorArgument.option,
    ],
    examples: [
      .init("rewards reconcile", "everything that is due"),
      .init(
        "rewards reconcile --day yesterday --zone Asia/Tokyo --zone Europe/Paris",
        "two zones, up to yesterday there"),
      .init(
        "rewards reconcile --user 4711 --prove",
        "one user, with proof that a second run would change nothing"),
    ])

  static func needsTwoRounds(_ arguments: ParsedArguments) -> Bool {
    !arguments.has("confirm") && !arguments.has("user")
  }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ReconcileRequest {
    ReconcileRequest(
      // Both words mean every day that has ended, in each zone.
      upTo: try arguments.value("day").flatMap {
        ["today", "yesterday"].contains($0) ? nil : try DayArgument.parse($0, place: "--day")
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
      ReconcileText.text(
        of: report, context.style, tellsDeferred: request.round?.isSecond ?? true)
    }
    if report.isPutOff { return .tryAgain }
    return report.needsAttention ? .attention : .done
  }
}
