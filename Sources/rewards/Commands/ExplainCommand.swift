import CivilTime
import Configuration
import Described
import Failures
import Operations
import StrictJSON

/// Explains a user's day.
struct ExplainCommand: Command {
  static let spec = CommandSpec(
    "explain", "explain why a user did or did not get what a day should have given", isPaged: true,
    details: """
      Shows the local day's window and zone, each mission's verdict, evidence, gaps between
      polls, every step of the rules, the grants with their place in the ledger, and their
      deliveries. Without DAY it explains today in the user's zone, as far as it is known;
      yesterday is the day that has ended last. It changes nothing and may run beside a
      service.
      """,
    arguments: [
      .user(),
      .init(
        "DAY", isOptional: true, preset: "today",
        help: "the local day, such as 2026-11-20, today or yesterday (default: today)"),
      .init("MISSION", isOptional: true, help: "only this one: login, level, or a mission's name"),
    ],
    examples: [
      .init("rewards explain 4711", "today so far"),
      .init("rewards explain 4711 2026-11-20", "a whole day"),
      .init("rewards explain 4711 yesterday stream", "why yesterday's stream gave no points"),
    ])

  static var outputs: [JSONShape] { [ExplainText.output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    let day = try DayArgument.parse(arguments.arguments[1], place: "DAY")
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let explainer = Explainer(configuration, context.runtimeEnvironment("rewards explain"))
    let explanation = try await explainer.explain(user, day, in: ledger)
    let mission = arguments.argument(2)
    if let mission, !explanation.missions.contains(mission) {
      throw Failure(
        .badData, "\"\(mission)\" is not a mission of that day", place: "MISSION",
        remedy: "One of \(explanation.missions.joined(separator: ", ")).")
    }
    let missions = mission.map { [$0] } ?? explanation.missions
    context.report((explanation, missions), as: ExplainText.output) {
      ExplainText.text(of: explanation, missions)
    }
    return .done
  }
}
