import CivilTime
import Configuration
import Described
import Failures
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Lists the users whose streak is not yet safe today.
struct AtRiskCommand: Command {
  static let spec = CommandSpec(
    "atrisk", "list users whose streak is not safe yet today, and the hours they have left",
    isPaged: true,
    details: """
      Prints one JSON object per line, or CSV; users whose day ends first come first.
      --format json changes nothing. knownThrough is the instant up to which polls prove
      that nothing has counted; it lags by up to one polling interval, and further where the
      API did not answer. Beside a running service, these polls may be some minutes older
      than what the service knows. To warn users automatically, set atRisk.minutesBefore:
      rewards help relay.
      """,
    options: [
      .init("within", "HOURS", help: "only users whose day ends within this many hours, 1 to 48"),
      .init("length", "N", help: "only streaks of at least this many days (default: 1)"),
      .init("csv", help: "print a table with column names"),
    ],
    examples: [
      .init(
        "rewards atrisk --within 3 --length 7", "the long streaks that break within three hours"),
      .init("rewards atrisk --csv > atrisk.csv", "a file for a spreadsheet"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let hours = try arguments.value("within").map {
      try NumberArgument.parse($0, place: "--within", in: 1...48)
    }
    let length = try arguments.value("length").map {
      try NumberArgument.parse($0, place: "--length", in: 1...1_000_000)
    }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let environment = context.runtimeEnvironment("rewards atrisk")
    let now = context.present
    let streaks = try await StreaksAtRisk.read(
      ledger, configuration, environment, length: Int32(length ?? 1),
      within: hours.map { Int64($0) * 3_600 })
    let output = context.environment.output
    if arguments.has("csv") { output.write(CSVText.text([rows.fields.map(\.name)])) }
    for streak in streaks {
      output.write(
        arguments.has("csv")
          ? CSVText.text([rows.cells(of: (streak, now))]) : rows.text(of: (streak, now)) + "\n")
      if output.isBroken { break }
    }
    return .done
  }

  private static let rows = JSONMembers<(streak: StreaksAtRisk.Streak, now: Instant)> {
    $0.add("user", \.streak.user)
    $0.add("zone", \.streak.zone)
    $0.add("day", \.streak.day)
    $0.add("end", \.streak.end)
    $0.add("hoursLeft") { JSONNumber(text: hoursLeft($0.streak, $0.now)) }
    $0.add("length", \.streak.length)
    $0.add("knownThrough", \.streak.knownThrough, "up to when it is known that nothing has counted")
  }

  static var outputs: [JSONShape] { [rows.shape] }

  /// Returns the hours left with two decimals, rounded down.
  private static func hoursLeft(_ streak: StreaksAtRisk.Streak, _ now: Instant) -> String {
    let hundredths = max(0, streak.end.seconds(since: now)) / 36
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
