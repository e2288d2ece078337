import AuditPage
import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Shows one user: what answers most complaints, on one page.
struct UserCommand: Command {
  static let spec = CommandSpec(
    "user", "show one user: zone, balance, streak, and what each of the last days gave",
    isPaged: true,
    details: """
      Shows since when the user has been judged, what the user has, and then, one line per
      local day, the streak, what was granted, gaps and corrections. rewards explain ID DAY
      explains one of the days. A record counts for the local day that it is about; rewards
      statement goes by when it was recorded, so the sums of a month may differ.

      STREAK says what the day did to the streak: it counted; it was missed (broken); it was
      unknown (held) or missed but under an outage or a pardon (excused), so the streak
      stayed; a backfill set the streak (repaired); there was no streak to lose (none); the
      day is not closed (open). GRANTED names missions, and level, manual (given by hand) and
      waived (left to the user by a backfill).

      With --at it counts everything recorded before that instant, from the ledger's
      first record on. It checks no seals: rewards ledger verify does.
      """,
    arguments: [.user("ID")],
    options: [
      .init(
        "days", "N", help: "this many days up to today, up to --to or from --from on (default: 7)")
    ]
      + RangeOptions.days(
        first: "the first local day; at most 1,000 days at once",
        last: "the last local day (default: today)") + [
        .init("at", "INSTANT", help: "show how it stood then"),
        .init("html", "FILE", help: "write the days as a self-contained page"),
      ],
    examples: [
      .init("rewards user 4711", "what the user has, and the last seven days"),
      .init("rewards user 4711 --month 2026-11 --html 4711.html", "a month as a page"),
      .init("rewards user 4711 --at 2026-11-01T00:00:00Z --format json", "how it stood then"),
    ])

  private static let output = JSONMembers<(report: UserReport, waiting: Int?)> {
    $0.include({ ($0.report.account, $0.report.state) }, as: UserText.user)
    $0.include(\.report.balance)
    $0.optional("waitingDays", \.waiting, "closed days that wait for a backfill; not with --at")
    $0.include(\.report.timeline.days, as: UserText.days)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    let span = try span(arguments)
    let at = try arguments.value("at").map { try InstantArgument.parse($0, place: "--at").instant }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let report = try await UserReport.read(
      ledger, of: user, span, at: at, now: context.present, zones: context.zones)
    let waiting =
      at == nil
      ? try await context.waitingCount(
        of: user, report.state, in: ledger, configuration, "rewards user") : nil
    let balance = UserText.rows(of: report.balance, waiting: waiting)
    if let file = arguments.value("html") {
      let page = UserText.page(of: report.timeline, balance.map { "\($0[0]): \($0[1])." })
      try OutputFile.write(page.bytes, as: .page, to: file, in: context)
    }
    context.report((report, waiting), as: output) {
      UserText.text(UserText.rows(of: report.account, report.state) + balance, context.style)
        + "\n\(UserText.text(of: report.timeline.days, context.style))"
        + "for the reasons on one day: rewards explain \(user) DAY\n"
        + (waiting ?? 0 > 0 ? "rewards backfill --plan FILE plans what waits\n" : "")
    }
    return .done
  }

  private static func span(_ arguments: ParsedArguments) throws -> UserReport.Span {
    if ["days", "from", "to"].allSatisfy(arguments.has) {
      throw Failure(.usage, "--days goes with --from or --to, not with both")
    }
    let count = try arguments.value("days").map {
      try NumberArgument.parse($0, place: "--days", in: 1...UserTimeline.daysAtMost)
    }
    func day(_ name: String) throws -> Day? {
      try arguments.value(name).map { try DayArgument.parse($0, place: "--\(name)") }
    }
    return UserReport.Span(from: try day("from"), to: try day("to"), count: count)
  }
}

/// Shows what is known of a user: the former `users show`.
struct UsersShowCommand: Command {
  static let spec = CommandSpec(former: "users show", arguments: [.user("ID")])

  static var outputs: [JSONShape] { [UserText.user.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    let ledger = try await StateReading.read(
      LedgerReading.open(context.configuration().directory), of: user)
    guard let account = ledger.account(of: user) else { throw Failure.unknownUser(user) }
    context.report((account, ledger), as: UserText.user) {
      UserText.text(UserText.rows(of: account, ledger), context.style)
    }
    return .done
  }
}

/// Shows a user's days: the former `timeline`.
struct TimelineCommand: Command {
  static let spec = CommandSpec(
    former: "timeline", usualDays: 30, arguments: [.user()],
    options: RangeOptions.days(first: "", last: "") + [.init("html", "FILE", help: "")])

  private static let output = JSONMembers<(timeline: UserTimeline, waiting: Int?)> {
    $0.add("user", \.timeline.user)
    $0.add("zone", \.timeline.zone)
    $0.optional("waitingDays", \.waiting)
    $0.include(\.timeline.days, as: UserText.days)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    guard let days = try DayArgument.range(arguments) else { return .usage }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let span = UserReport.Span(from: days.lowerBound, to: days.upperBound)
    let timeline = try await UserReport.read(
      ledger, of: user, span, zones: context.zones
    ).timeline
    let waiting = try await context.waitingDays(
      of: user, in: ledger, configuration, "rewards timeline")
    let remarks = [waiting?.span].compactMap { $0 }.map {
      "waiting for a backfill: \($0.lowerBound) to \($0.upperBound); rewards backfill --plan FILE plans it"
    }
    if let file = arguments.value("html") {
      let page = UserText.page(of: timeline, remarks)
      try OutputFile.write(page.bytes, as: .page, to: file, in: context)
    }
    context.report((timeline, waiting?.count), as: output) {
      UserText.text(of: timeline.days, context.style) + remarks.map { "\($0)\n" }.joined()
    }
    return .done
  }
}
