import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Declares an outage, pardons days, withdraws either, or finds the users that an outage hid.
struct ExcuseCommand: Command {
  static let spec = CommandSpec(
    "excuse", "declare an outage or pardon days, so that streaks hold; find outages", isPaged: true,
    details: """
      With --outage: declares an outage by its two instants, both past. It holds, for each
      user, the local days that it hid: those on which a gap that overlaps it leaves
      something unknown that the streak needs. Days that are fully known stay as they are.

      With --from and --to: a pardon for everybody, for the users named or in the zones
      named. It holds all these days, including days that were missed fairly, and says how
      many streaks that restores. It may reach at most 31 days ahead. Name both ends: a
      pardon gives streaks back, so it has no default range. One of more days than one
      person may pardon (approval.pardonDaysByHand, 14) waits for a second person.

      What users did counts as always. Open days are judged by the excuse from now on;
      closed days change with rewards backfill. --withdraw takes either back, by its record
      in the ledger.

      With --propose: lists, from the gaps recorded by closes, on which days how many users
      were hidden, why, and whose streaks were at stake; and the outages that these gaps
      show, with the command that declares each. It leaves out user-days whose gaps are all
      shorter than --min-gap minutes. It changes nothing, and exits 1 if there are any.
      --format json names all users.
      """,
    options: [.init("outage", "FROM..TO", help: "the outage's two instants")]
      + RangeOptions.days(first: "the first local day", last: "the last local day") + [
        .init("user", "USER", repeats: true, help: "only this user"),
        .init("zone", "ZONE", repeats: true, help: "only days that end in this zone"),
        .init("everybody", help: "pardon all users; says so explicitly"),
        .init("reason", "TEXT", help: "why, for the record"),
        ActorArgument.option, ApprovalArgument.option,
        .init("withdraw", "SEQ", help: "take back the excuse in this record of the ledger"),
        .init("propose", help: "list the days that outages hid"),
        .init("min-gap", "MINUTES", help: "with --propose: leave out shorter gaps (default: 5)"),
      ],
    examples: [
      .init(
        "rewards excuse --outage 2026-11-19T22:00:00Z..2026-11-20T02:00:00Z --reason \"API down\"",
        "what it hid breaks no streak"),
      .init("rewards excuse --propose --from 2026-11-01", "the days that were hidden this month"),
      .init(
        "rewards excuse --from yesterday --to yesterday --user 4711 --reason \"our mistake\"",
        "pardon one user's day, whatever happened"),
    ])

  /// Uses one ledger to withdraw an outage or pardon, because a line number belongs to one ledger.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.has("withdraw") ? .one : spec.shards
  }

  /// The length below which gaps are left out by default, in seconds.
  static let usualGapSeconds: Int64 = 5 * 60

  static var outputs: [JSONShape] {
    [ExcuseDeclareCommand.output.shape, HiddenDaysText.output.shape]
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    guard arguments.has("propose") else {
      return try await ExcuseDeclareCommand.run(arguments, in: context)
    }
    if let stranger = ["user", "zone", "everybody", "outage", "withdraw", "reason"].first(
      where: arguments.has)
    {
      throw Failure(.usage, "--\(stranger) does not go with --propose")
    }
    let directory = try context.configuration().directory
    let minutes = try arguments.value("min-gap").map {
      Int64(try NumberArgument.parse($0, place: "--min-gap", in: 0...1_440))
    }
    let hidden = try await HiddenDays.read(
      LedgerReading.open(directory), days: DayArgument.range(arguments),
      gapSeconds: minutes.map { $0 * 60 } ?? usualGapSeconds)
    context.report(hidden, as: HiddenDaysText.output) {
      HiddenDaysText.text(of: hidden, context.style)
    }
    return hidden.days.isEmpty ? .done : .attention
  }
}

/// Records or withdraws an outage or pardon, here or in the service that holds the ledger.
struct ExcuseDeclareCommand: RequestingCommand {
  static let spec = ExcuseCommand.spec
  static let output = JSONMembers<ExcuseRequest.Report> {
    $0.add("from", \.excuse.from)
    $0.add("to", \.excuse.to)
    $0.optionalObject("outage", \.excuse.outage) {
      $0.add("from", \.from)
      $0.add("to", \.to)
    }
    $0.add("users", \.users)
    $0.optional("zones") { $0.zones.isEmpty ? nil : $0.zones }
    $0.optional("withdraws", \.excuse.withdraws)
    $0.optional("userDays", \.userDays, "closed ones with a gap in the outage")
    $0.optional("fairBreaks", \.fairBreaks)
    $0.add("lines", \.lines, "the records appended; --withdraw takes one of them")
    $0.add("appended", \.lines.count)
  }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ExcuseRequest {
    let ways = [["outage"], ["from", "to"], ["withdraw"]].filter {
      $0.contains(where: arguments.has)
    }
    guard ways.count == 1, ways[0].allSatisfy(arguments.has) else {
      throw Failure(
        .usage, "pass one of --outage FROM..TO, --from DAY --to DAY, and --withdraw SEQ")
    }
    guard arguments.has("reason") else {
      throw Failure(.usage, "--reason TEXT is missing")
    }
    let (users, zones) = (arguments.values("user"), arguments.values("zone"))
    if arguments.has("everybody"), !users.isEmpty || !zones.isEmpty {
      throw Failure(.usage, "--everybody excludes --user and --zone")
    }
    return ExcuseRequest(
      try span(arguments), users: users, zones: zones, reason: arguments.required("reason"),
      actor: arguments.value("actor"), approving: arguments.value("approve"))
  }

  private static func span(_ arguments: ParsedArguments) throws -> ExcuseRequest.Span {
    if let text = arguments.value("outage") { return try outage(text) }
    if let days = try DayArgument.range(arguments) { return .days(days) }
    let text = arguments.required("withdraw")
    guard let seq = UInt64(text), seq <= Int64.max else {
      throw Failure(
        .usage, "ledger line \(text) is not an excuse in force", place: "--withdraw",
        remedy: "See rewards ledger export --type excuse.")
    }
    return .withdrawn(seq)
  }

  private static func outage(_ text: String) throws -> ExcuseRequest.Span {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false)
    guard ends.count == 2 else {
      throw Failure(
        .usage, "\"\(text)\" is not an outage", place: "--outage",
        remedy: "Write two instants, such as 2026-11-19T22:00:00Z..2026-11-20T02:00:00Z.")
    }
    let from = try InstantArgument.parse(String(ends[0]), place: "--outage").instant
    let to = try InstantArgument.parse(String(ends[1]), place: "--outage").instant
    return .outage(from: from, to: to)
  }

  static func show(
    _ report: ExcuseRequest.Report, of request: ExcuseRequest, in context: CommandContext
  ) -> ExitCode {
    let (excuse, users, zones) = (report.excuse, report.users, report.zones)
    let whom = users.isEmpty ? "all users" : Counted.text(users.count, "user")
    let place = zones.isEmpty ? "" : " in \(zones.joined(separator: ", "))"
    let span =
      excuse.outage.map { "by the outage from \($0.from) to \($0.to)" }
      ?? "from \(excuse.from) to \(excuse.to)"
    context.report(report, as: output) {
      (excuse.withdraws.map { "line \($0) is withdrawn: \(whom)\(place) \(span)\n" }
        ?? "\(whom)\(place) excused \(span)\n")
        + (report.userDays.map {
          "\(Counted.text($0, "closed user-day")) \($0 == 1 ? "has" : "have") a gap in it\n"
        } ?? "")
        + (report.fairBreaks.map {
          $0 == 0
            ? ""
            : "it restores \(Counted.text($0, "streak")) that broke on days which the evidence covers in full\n"
        } ?? "")
        + (excuse.withdraws == nil
          ? report.lines.map {
            "recorded in line \($0); rewards excuse --withdraw \($0) --reason TEXT takes it back\n"
          }.joined() : "")
        + (report.earlier.map {
          "line \($0) declares the same already; rewards excuse --withdraw \($0) takes that one back\n"
        } ?? "")
        + (report.isClosed
          ? "closed days change only through a backfill: rewards backfill --plan plan.json\n"
          : "")
    }
    return .done
  }
}
