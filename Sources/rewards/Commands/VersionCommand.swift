import CivilTime
import Described
import Failures
import Operations
import StrictJSON

/// Shows the versions of the program and of the time zone data.
struct VersionCommand: Command {
  static let spec = CommandSpec(
    "version", "show the versions of the program and of the time zone database", shards: .none,
    examples: [
      .init("rewards version", "for a person"),
      .init("rewards version --format json", "for another program"),
    ])

  private static let output = JSONMembers<(version: String, tzdata: String)> {
    $0.add("version", \.version)
    $0.add("tzdata", \.tzdata)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let version = ProgramVersion.text
    let tzdata = context.zones.version
    context.report((version, tzdata), as: output) {
      "rewards \(version), tzdata \(tzdata)\n"
    }
    return .done
  }
}
