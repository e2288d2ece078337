import CivilTime
import Configuration
import Described
import Failures
import LedgerDatabase
import Operations
import Scheduling
import StrictJSON

/// Checks that everything is in place, and says what to do where it is not.
struct DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", "show the configuration in force, and what is wrong on this machine", shards: .first,
    isPaged: true,
    details: """
      Tries what rewards serve would do. It reads configuration, rules, roster and secrets;
      writes into the folders and removes what it wrote; listens at the addresses for a
      moment; polls the API for the first users of the roster; compares the draw secret with
      the ledger's; shows the age of the time zones, and any newer release that the
      machine's packages offer; and checks every shard of a database. Exits 1 if anything
      needs attention.
      """,
    options: [
      .init(
        "accept-clock", help: "confirm that the clock is right, after a long pause or a correction"),
      .init(
        "undo-future",
        help: "take back what was recorded while the clock was ahead; stop the service first"),
      ActorArgument.option,
    ],
    examples: [
      .init("rewards doctor", "before the first start, and whenever something looks odd"),
      .init("rewards doctor --format json", "for another program"),
    ])

  /// Uses each ledger in turn to accept the clock; the other checks are mostly the same for all.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.has("accept-clock") ? .each : spec.shards
  }

  private static let output = JSONMembers<
    (configuration: Configuration, findings: [DoctorFinding])
  > {
    $0.object("configuration", \.configuration) {
      $0.add("file", \.file)
      $0.list("settings", \.settings) {
        $0.add("path", \.path)
        $0.add("value", \.value)
        $0.word(
          "origin", among: EffectiveSetting.Origin.allCases.map(\.rawValue), \.origin.rawValue)
      }
    }
    $0.list("checks", \.findings) {
      $0.add("name", \.name)
      $0.add("state", \.state.rawValue)
      $0.add("what", \.what)
      $0.add("remedy", \.remedy)
    }
  }

  static var outputs: [JSONShape] {
    [output.shape, AcceptClockCommand.output.shape, UndoFutureCommand.output.shape]
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    if arguments.has("accept-clock"), arguments.has("undo-future") {
      throw Failure(
        .usage, "--accept-clock confirms the clock, --undo-future says that it was wrong",
        remedy: "Pass one of them.")
    }
    if arguments.has("accept-clock") {
      return try await AcceptClockCommand.run(arguments, in: context)
    }
    if arguments.has("undo-future") {
      return try await UndoFutureCommand.run(arguments, in: context)
    }
    var context = context
    context.showsShard = context.showsShard && context.options.shard != nil
    let configuration = try context.configuration()
    let variables = context.environment.variables
    let roster = configuration.readRoster()
    let findings =
      LocalCheckup(
        configuration, roster: roster, environment: variables, zones: context.zones,
        now: context.environment.clock.now(),
        offeredTimeZones: await TimeZonePackage.offered(path: variables["PATH"])
      ).findings()
      + (await ServiceCheckup(configuration).findings())
      + (await databaseFindings(context.database))
      + (try await dataFindings(configuration, in: context))
      + (await RemoteCheckup(
        configuration, roster: roster, context.runtimeEnvironment("rewards doctor")
      ).findings())
    context.report((configuration, findings), as: output) {
      checks(findings, context.style) + "\n" + settings(configuration, context.style)
    }
    return findings.allSatisfy { $0.state == .well } ? .done : .attention
  }

  /// Returns how the database is reached, where it holds the data.
  private static func databaseFindings(_ database: AttachedDatabase?) async -> [DoctorFinding] {
    guard let database else { return [] }
    do {
      let found = try await database.run { pool in
        try pool.withConnection { connection in connection.protection }
      }
      let place = found.isLocal ? "on this machine" : "sslmode=\(found.mode)"
      let what = "\(database.pool.address.name), \(place), \(found.isEncrypted ? "TLS" : "no TLS")"
      return [
        DoctorFinding(
          "database", found.isSure ? .well : .attention, what,
          remedy: found.isSure
            ? nil
            : "set sslmode=verify-full with sslrootcert=FILE, so that no other server can pose as this one"
        )
      ]
    } catch {
      return [
        DoctorFinding(
          "database", .failed, "\(Failure(describing: error).cause)",
          remedy: "check the server, and the address in data")
      ]
    }
  }

  /// Returns findings about the data. Checks each of several ledgers unless one is named. After the first, reports only what the ledger
  /// holds and what needs attention, because the rest is the same.
  private static func dataFindings(
    _ configuration: Configuration, in context: CommandContext
  ) async throws -> [DoctorFinding] {
    func findings(of configuration: Configuration) async -> [DoctorFinding] {
      await DataCheckup(
        configuration, variables: context.environment.variables, zones: context.zones,
        clock: context.clock, commands: ScheduledCommands(context).commands
      ).findings()
    }
    guard let shardID = configuration.shardID, shardID.count > 1, context.options.shard == nil
    else {
      return await findings(of: configuration)
    }
    var all: [DoctorFinding] = []
    for shardID in (0..<shardID.count).map({ ShardID($0, of: shardID.count) }) {
      let own = await findings(of: try context.with(shardID).configuration())
      all += own.filter { shardID.number == 0 || $0.state != .well || $0.name == "ledger" }
        .map { $0.named("\($0.name) of shard \(shardID.number)") }
    }
    return all
  }

  private static func settings(_ configuration: Configuration, _ style: TextStyle) -> String {
    var table = TextTable(["KEY", "VALUE", "FROM"])
    for setting in configuration.settings {
      let value = setting.value.isEmpty ? "-" : setting.value
      table.add([setting.path, value, setting.origin.rawValue])
    }
    return table.text(style)
  }

  private static func checks(_ findings: [DoctorFinding], _ style: TextStyle) -> String {
    findings.map { finding in
      let line = "\(paint(finding.state, style))  \(finding.name): \(finding.what)\n"
      return line + (finding.remedy.map { "           \($0)\n" } ?? "")
    }.joined()
  }

  /// Returns the state in a column nine characters wide.
  private static func paint(_ state: DoctorFinding.State, _ style: TextStyle) -> String {
    switch state {
    case .well: style.good("well     ")
    case .attention: style.notable("attention")
    case .failed: style.bad("failed   ")
    }
  }
}
