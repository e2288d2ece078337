internal import CivilTime
import Configuration
import Described
import Failures
import Operations
import RewardRules
import StrictJSON

/// Replays history under other rules.
struct SimulateCommand: Command {
  static let spec = CommandSpec(
    "simulate", "what other rules would have given for the same evidence",
    details: """
      Judges the closed days from --from to --to by the rules in FILE instead of those in force, from the
      evidence that the ledger holds, and compares: by mission and in total, who would win and lose most,
      levels and items; and what days that are not closed would lose once the rules are loaded. Changes nothing, and
      may run beside a service.
      """,
    options: [
      .init("rules", "FILE", isRequired: true, help: "the other rules"),
      .init("from", "DAY", isRequired: true, help: "the first user-local day"),
      .init("to", "DAY", isRequired: true, help: "the last one"),
    ],
    examples: [
      .init(
        "rewards simulate --rules new.json --from 2026-10-01 --to 2026-10-31",
        "October under new rules")
    ])

  private static let output = JSONMembers<
    (
      rules: String, days: ClosedRange<Day>, report: SimulationReport
    )
  > {
    $0.add("rules", \.rules)
    $0.add("from", \.days.lowerBound)
    $0.add("to", \.days.upperBound)
    $0.include(\.report, as: SimulationText.output)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let rules = try RulesFiles.read(arguments.required("rules"))
    guard let days = try DayArgument.range(arguments) else { return .usage }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let report = try await Simulation(
      configuration, context.runtimeEnvironment("rewards simulate")
    ).run(rules, on: days, in: ledger)
    context.report((rules.version, days, report), as: output) {
      SimulationText.text(of: report, rules.version, days)
    }
    return .done
  }
}
