import CivilTime
import Failures
import Operations
import StrictJSON

/// Shows the versions of the program and of the time zone data.
struct VersionCommand: Command {
  static let spec = CommandSpec(
    "version", "the versions of the program and of the time zone database", shards: .none,
    examples: [
      .init("rewards version", "for a person"),
      .init("rewards version --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let version = ProgramVersion.text
    let tzdata = context.zones.version
    context.report {
      "rewards \(version), tzdata \(tzdata)\n"
    } json: { json in
      json.member("version", version)
      json.member("tzdata", tzdata)
    }
    return .done
  }
}
