import CivilTime
import Configuration
import Described
import Digests
import Failures
import Operations
import RewardRules
import StrictJSON

/// Checks a rules document before it is loaded, also against the rules and the ledger of the configuration if there is one.
struct RulesCheckCommand: Command {
  static let spec = CommandSpec(
    "rules check", "list every mistake in a rules file, with line, column and path", shards: .first,
    details: """
      Where there is a rewards.json, or --config names one, also checks what its service would
      refuse: a version or first day that other rules have, a correction of nothing, days that
      are closed.

      With --against: also shows what the document would have granted on the last closed
      days of the ledger, whatever dates it names, and what users would lose on open days
      once it is loaded. It changes nothing.
      """,
    arguments: [.init("FILE", help: "the rules document, JSON with comments")],
    options: [.init("against", "DAYS", help: "show the effect on this many closed days")],
    examples: [
      .init("rewards rules check rules.json", "before you load it"),
      .init("rewards rules check rules.json --against 30", "with what a month would have been"),
      .init("rewards rules check rules.json --format json", "for another program"),
    ])

  /// Uses each ledger in turn with `--against`: the effect of rules differs from ledger to ledger, their mistakes do not.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.has("against") ? .each : spec.shards
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let file = arguments.arguments[0]
    do {
      let rules = try RulesFiles.read(file)
      let configuration = try context.configuration()
      let isLoadable: Bool
      do {
        isLoadable = try await RulesLoading.check(rules, from: file, with: configuration)
      } catch {
        guard let problem = problem(of: error) else { throw error }
        context.report(Outcome(file: file, problems: [problem], rules: rules), as: output) {
          "\(ConfigurationProblem(file: file, problem))\n"
        }
        return .badData
      }
      let effect = try await effect(of: rules, arguments, in: context)
      context.report(Outcome(file: file, rules: rules, effect: effect), as: output) {
        "\(file): version \(rules.version), in force from \(rules.effectiveFrom), no mistakes\n"
          + (isLoadable
            ? "the service would load it beside what \(configuration.data) holds\n" : "")
          + (effect.map { text(of: $0, rules, context.style) } ?? "")
      }
      return .done
    } catch let error as RulesFileProblems {
      context.report(Outcome(file: file, problems: error.problems), as: output) {
        error.lines.map { "\($0)\n" }.joined()
      }
      return .badData
    }
  }

  /// What a check says of a file.
  private struct Outcome {
    let file: String
    var problems: [DocumentProblem] = []
    var rules: RulesDocument?
    var effect: Effect?
  }

  private static let output = JSONMembers<Outcome> {
    $0.add("ok", \.problems.isEmpty)
    $0.add("file", \.file)
    $0.list("problems", \.problems) {
      $0.add("path", \.path)
      $0.add("line", \.line)
      $0.add("column", \.column)
      $0.add("what", \.what)
    }
    $0.optional("version", \.rules?.version)
    $0.optional("effectiveFrom", \.rules?.effectiveFrom)
    $0.optional("sha256", \.rules?.sha256)
    $0.optionalObject("effect", \.effect, "with --against: as simulate") {
      $0.add("from", \.days?.lowerBound)
      $0.add("to", \.days?.upperBound)
      $0.include(\.report, as: SimulationText.output)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  /// Returns what is wrong with the document beside others; nil if that is not what the error is about.
  private static func problem(of error: any Error) -> DocumentProblem? {
    if let problem = error as? DocumentProblem { return problem }
    return (error as? RuleBookProblem).map {
      DocumentProblem(path: "", line: 1, column: 1, what: "\($0)")
    }
  }

  private typealias Effect = (days: ClosedRange<Day>?, report: SimulationReport)

  private static func effect(
    of rules: RulesDocument, _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> Effect? {
    guard let text = arguments.value("against") else { return nil }
    let count = try NumberArgument.parse(text, place: "--against", in: 1...3_660)
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let simulation = Simulation(
      configuration, context.runtimeEnvironment("rewards rules check"))
    return try await simulation.run(rules, lastDays: count, in: ledger)
  }

  private static func text(
    of effect: Effect, _ rules: RulesDocument, _ style: TextStyle
  ) -> String {
    guard let days = effect.days else {
      return "the ledger has no closed day to compare with\n"
        + SimulationText.running(effect.report)
    }
    return SimulationText.text(of: effect.report, rules.version, days, style)
  }
}
