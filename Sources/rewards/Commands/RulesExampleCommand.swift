import CivilTime
import Described
import Failures
import RewardRules
import Scheduling
import StrictJSON

/// Prints a rules document to start from.
struct RulesExampleCommand: Command {
  static let spec = CommandSpec(
    "rules example", "print a complete rules document to start from", shards: .none, isPaged: true,
    details: """
      Prints the app's own rules with a comment on each section, under a new version and
      from the first day of next month on. rewards help rules explains each key.
      """,
    examples: [
      .init("rewards rules example > rules.json", "then change what you want to change"),
      .init(
        "rewards rules example > rules.json && rewards rules check rules.json --against 30",
        "also see what it would have granted in the last month"),
    ])

  private static let output = JSONMembers<String> {
    $0.add("document") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let text = text(from: firstDay(after: context.clock.now()))
    context.report(text, as: output) {
      text
    }
    return .done
  }

  /// Returns the first day of the month after that of `now`, in UTC.
  private static func firstDay(after now: Instant) -> Day {
    var day = Day(number: Int32(now.seconds / 86_400)).adding(days: 1)
    while day.civil.day != 1 { day = day.adding(days: 1) }
    return day
  }

  /// Returns the built-in document from `day` on, each section preceded by its explanation from the reference page.
  private static func text(from day: Day) -> String {
    let meanings = ReferencePage.rules.page.rows(under: "key").map { row in
      (name: MarkdownText.plain(row[0]), meaning: MarkdownText.plain(row[1]))
    }
    var lines: [String] = []
    for line in RulesDocument.builtInText.split(separator: "\n") {
      let key = line.hasPrefix("  \"") ? String(line.dropFirst(3).prefix { $0 != "\"" }) : ""
      for (name, meaning) in meanings
      where name == key || name.hasPrefix("\(key).") && !key.isEmpty {
        let label = name == key ? "" : "\(name.dropFirst(key.count + 1)): "
        lines.append("  // \(label)\(meaning)")
      }
      switch key {
      case "version": lines.append("  \"version\": \"\(day.description.prefix(7))\",")
      case "effectiveFrom": lines.append("  \"effectiveFrom\": \"\(day)\",")
      default: lines.append(String(line))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
