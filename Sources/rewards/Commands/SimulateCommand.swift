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
    "simulate", "show what other rules would have granted for the same evidence", isPaged: true,
    usualDays: 30,
    details: """
      Judges the closed days from --from to --to by the rules in FILE instead of those in
      force, from the evidence in the ledger, and compares: by mission and in total, who
      would win and lose most, levels and items, and what users would lose on open days once
      the rules are loaded. Without a range it takes the last 30 days up to today in the
      default zone. It changes nothing and may run beside a service.
      """,
    options: [.init("rules", "FILE", isRequired: true, help: "the other rules")]
      + RangeOptions.days(
        first: "the first local day (default: 29 days before the last)",
        last: "the last local day (default: today)"),
    examples: [
      .init("rewards simulate --rules new.json", "the last 30 days under new rules"),
      .init("rewards simulate --rules new.json --month 2026-10", "October under new rules"),
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
      SimulationText.text(of: report, rules.version, days, context.style)
    }
    return .done
  }
}
