import CivilTime
import Configuration
import Digests
import RewardRules
import Scheduling
import StrictJSON

/// Shows the rules that the configuration names, and which of them judge today.
struct RulesShowCommand: Command {
  static let spec = CommandSpec(
    "rules show", "the rules that are loaded, and which of them judge today",
    options: [.init("day", "DAY", help: "which of them judge this date (default: today)")],
    examples: [
      .init("rewards rules show", "versions, dates and files"),
      .init("rewards rules show --day 2026-12-24 --format json", "with the documents themselves"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let loaded = try RulesFiles.load(configuration.rules)
    let book = try RuleBook(loaded.map(\.document))
    let zone = try context.zones.zone(named: configuration.defaultTimeZone)
    let day =
      try arguments.value("day").map { try DayArgument.parse($0, place: "--day") }
      ?? zone.window(containing: context.clock.now()).day
    let inForce = book.rules(on: day)
    context.report {
      text(loaded, day: day, inForce: inForce)
    } json: { json in
      json.member("day", day.description)
      json.member("inForce", inForce?.version)
      json.objects("rules", loaded) { json, rules in
        json.member("version", rules.document.version)
        json.member("effectiveFrom", rules.document.effectiveFrom.description)
        json.member("corrects", rules.document.corrects)
        json.member("sha256", rules.document.sha256.description)
        json.member("file", rules.file)
        json.key("document")
        json.raw(rules.document.canonicalText)
      }
    }
    return inForce == nil ? .attention : .done
  }

  private static func text(
    _ loaded: [RulesFiles.Loaded], day: Day, inForce: RulesDocument?
  ) -> String {
    var table = TextTable(["VERSION", "FROM", "CORRECTS", "ON \(day)", "FILE"])
    for rules in loaded {
      let document = rules.document
      table.add([
        document.version, document.effectiveFrom.description, document.corrects ?? "-",
        document.version == inForce?.version ? "in force" : "-", rules.file ?? "(built in)",
      ])
    }
    return table.text
  }
}
