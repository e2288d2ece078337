import AuditPage
import CivilTime
import Configuration
import Described
import Failures
import LedgerStore
import Operations
import RewardRules
import StrictJSON

/// Shows a user's days, one per line.
struct TimelineCommand: Command {
  static let spec = CommandSpec(
    "timeline", "a user's days one below the other: streak, grants, gaps, corrections",
    details: """
      One line a day, from the ledger. rewards explain USER DAY tells why, for one of them.
      """,
    arguments: [.user()],
    options: [
      .init("from", "DAY", isRequired: true, help: "the first user-local day"),
      .init("to", "DAY", isRequired: true, help: "the last one, at most 1,000 days later"),
      .init("html", "FILE", help: "write a page that needs nothing else"),
    ],
    examples: [
      .init("rewards timeline 4711 --from 2026-11-01 --to 2026-11-30", "a month at a glance"),
      .init(
        "rewards timeline 4711 --from 2026-11-01 --to 2026-11-30 --html 4711.html",
        "as a page"),
    ])

  private static let columns: [TablePage.Column] = [
    .init("DAY"), .init("STREAK"), .init("LENGTH", .number), .init("POINTS", .number),
    .init("EXP", .number), .init("COINS", .number), .init("GRANTED", .prose),
    .init("NOTES", .prose),
  ]

  private static let output = JSONMembers<(timeline: UserTimeline, waiting: Int?)> {
    $0.add("user", \.timeline.user)
    $0.add("zone", \.timeline.zone)
    $0.optional("waitingDays", \.waiting, "closed days that wait for a backfill")
    $0.list("days", \.timeline.days) {
      $0.add("day", \.day)
      $0.add("streak", \.streak)
      $0.add("length", \.length)
      $0.include(\.amounts)
      $0.add("missions", \.missions)
      $0.add("notes", \.notes)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    guard let days = try DayArgument.range(arguments) else { return .usage }
    guard days.upperBound.number - days.lowerBound.number < Int32(UserTimeline.daysAtMost) else {
      throw Failure(.usage, "at most \(UserTimeline.daysAtMost) days at once")
    }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let timeline = try await UserTimeline.read(
      ledger, of: user, days: days, zones: context.zones)
    let waiting = try await context.waitingDays(
      of: user, in: ledger, configuration, "rewards timeline")
    let remark =
      (waiting?.span).map { days in
        [
          "waiting for a backfill: \(days.lowerBound) to \(days.upperBound); "
            + "rewards backfill --plan FILE plans it"
        ]
      } ?? []
    if let file = arguments.value("html") {
      let page = TablePage(
        title: "Days of \(user), \(days.lowerBound) to \(days.upperBound)",
        lines: ["In \(timeline.zone). rewards explain \(user) DAY tells why."] + remark,
        columns: columns, rows: timeline.days.map(cells))
      try OutputFile.write(page.bytes, as: .page, to: file, in: context)
    }
    context.report((timeline, waiting?.count), as: output) {
      var table = TextTable(columns)
      for day in timeline.days { table.add(cells(day)) }
      return table.text + remark.map { "\($0)\n" }.joined()
    }
    return .done
  }

  private static func cells(_ day: UserTimeline.Entry) -> [String] {
    [
      day.day.description, day.streak ?? "-", day.length.map { "\($0)" } ?? "-",
      "\(day.amounts.points)", "\(day.amounts.exp)", "\(day.amounts.coins)",
      day.missions.isEmpty ? "-" : day.missions.keys.sorted().joined(separator: " "),
      day.notes.isEmpty ? "-" : day.notes.joined(separator: "; "),
    ]
  }
}
