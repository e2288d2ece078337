import CivilTime
import Configuration
import Described
import Failures
import Operations
import StrictJSON

/// Explains a user's day.
struct ExplainCommand: Command {
  static let spec = CommandSpec(
    "explain", "why a user has, or has not, what a day should have brought",
    details: """
      Shows the day's window and zone, what is known of each mission, evidence, gaps between looks, every
      step of the rules, the grants with their place in the ledger, and whether they were delivered.
      Changes nothing, and may run beside a service.
      """,
    arguments: [
      .user(),
      .init("DAY", help: "the user-local day, as 2026-11-20"),
      .init("MISSION", isOptional: true, help: "only this one: login, level, or a mission's name"),
    ],
    examples: [
      .init("rewards explain 4711 2026-11-20", "the whole day"),
      .init("rewards explain 4711 2026-11-20 stream", "why there are no points for the stream"),
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
        .badData, "\"\(mission)\" is no mission of that day", place: "MISSION",
        remedy: "One of \(explanation.missions.joined(separator: ", ")).")
    }
    let missions = mission.map { [$0] } ?? explanation.missions
    context.report((explanation, missions), as: ExplainText.output) {
      ExplainText.text(of: explanation, missions)
    }
    return .done
  }
}
