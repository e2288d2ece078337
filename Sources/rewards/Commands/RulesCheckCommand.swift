import CivilTime
import Digests
import Operations
import RewardRules
import StrictJSON

/// Checks a rules document before it is loaded. Needs no configuration.
struct RulesCheckCommand: Command {
  static let spec = CommandSpec(
    "rules check", "every mistake of a rules file, with its line and path",
    arguments: [.init("FILE", help: "the rules document, JSON with comments")],
    examples: [
      .init("rewards rules check rules.json", "before it is put to use"),
      .init("rewards rules check rules.json --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let file = arguments.arguments[0]
    do {
      let rules = try RulesFiles.read(file)
      context.report {
        "\(file): version \(rules.version), in force from \(rules.effectiveFrom), no mistakes\n"
      } json: { json in
        write(file, [], to: &json)
        json.member("version", rules.version)
        json.member("effectiveFrom", rules.effectiveFrom.description)
        json.member("sha256", rules.sha256.description)
      }
      return .done
    } catch let error as RulesFileProblems {
      context.report {
        error.lines.map { "\($0)\n" }.joined()
      } json: { json in
        write(file, error.problems, to: &json)
      }
      return .badData
    }
  }

  private static func write(
    _ file: String, _ problems: [DocumentProblem], to json: inout JSONWriter
  ) {
    json.member("ok", problems.isEmpty)
    json.member("file", file)
    json.objects("problems", problems) { json, problem in
      json.member("path", problem.path)
      json.member("line", problem.line)
      json.member("what", problem.what)
    }
  }
}
