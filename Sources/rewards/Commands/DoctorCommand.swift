import CivilTime
import Configuration
import Doctor
import Operations
import Scheduling
import StrictJSON

/// Looks whether everything is in place, and says what to do where it is not.
struct DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", "the configuration in force, and what is wrong on this machine", shards: .first,
    details: """
      Tries what rewards serve would do: reads configuration, rules, roster and secrets; writes into the
      folders and takes it away again; listens at the addresses for a moment; asks the API for the first
      users of the roster; compares the draw secret with the ledger's; names the age of the time zones and
      a newer release that the machine's packages offer. Exits 1 when something needs attention.
      """,
    options: [
      .init(
        "accept-clock", help: "confirm that the clock is right, after a long pause or a correction"),
      ActorArgument.option,
    ],
    examples: [
      .init("rewards doctor", "before the first start, and whenever something is odd"),
      .init("rewards doctor --format json", "for another program"),
    ])

  /// The clock is accepted by each ledger; what is looked at is mostly the same for all.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.has("accept-clock") ? .each : spec.shards
  }

  static func isForwarded(_ arguments: ParsedArguments) -> Bool { arguments.has("accept-clock") }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    if arguments.has("accept-clock") {
      return try await AcceptClockCommand.run(arguments, in: context)
    }
    let configuration = try context.configuration()
    let variables = context.environment.variables
    let findings =
      LocalCheckup(
        configuration, environment: variables, zones: context.zones,
        now: context.environment.clock.now(),
        offeredTimeZones: await TimeZonePackage.offered(path: variables["PATH"])
      ).findings()
      + (await ServiceCheckup(configuration).findings())
      + (await DataCheckup(
        configuration, variables: variables, zones: context.zones, clock: context.clock,
        commands: ScheduledCommands(context).commands
      ).findings())
      + (await RemoteCheckup(configuration, context.runtimeEnvironment("rewards doctor"))
        .findings())
    context.report {
      settings(configuration) + "\n" + checks(findings, context.style)
    } json: { json in
      json.object("configuration") { json in
        json.member("file", configuration.file)
        json.objects("settings", configuration.settings) { json, setting in
          json.member("path", setting.path)
          json.member("value", setting.value)
          json.member("origin", setting.origin.rawValue)
        }
      }
      json.objects("checks", findings) { json, finding in
        json.member("name", finding.name)
        json.member("state", finding.state.rawValue)
        json.member("what", finding.what)
        json.member("remedy", finding.remedy)
      }
    }
    return findings.allSatisfy { $0.state == .well } ? .done : .attention
  }

  private static func settings(_ configuration: Configuration) -> String {
    var table = TextTable(["KEY", "VALUE", "FROM"])
    for setting in configuration.settings {
      let value = setting.value.isEmpty ? "-" : setting.value
      table.add([setting.path, value, setting.origin.rawValue])
    }
    return table.text
  }

  private static func checks(_ findings: [DoctorFinding], _ style: TextStyle) -> String {
    findings.map { finding in
      let line = "\(paint(finding.state, style))  \(finding.name): \(finding.what)\n"
      return line + (finding.remedy.map { "           \($0)\n" } ?? "")
    }.joined()
  }

  /// The state in a column of nine.
  private static func paint(_ state: DoctorFinding.State, _ style: TextStyle) -> String {
    switch state {
    case .well: style.good("well     ")
    case .attention: style.notable("attention")
    case .failed: style.bad("failed   ")
    }
  }
}
