import CivilTime
import Configuration
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Declares an outage, or works out whom one hid.
struct ExcuseCommand: Command {
  static let spec = CommandSpec(
    "excuse", "declare an outage: days that hold a streak although nothing was seen",
    details: """
      For all users, or for those named. Days that are not closed are judged by it from now on; days
      that are closed change by rewards backfill. Whoever was seen counts as always. No day may be more than
      31 days ahead: an excuse cannot be taken back.

      With --propose: lists, from the gaps that closes have recorded, on which days how many users could
      not be seen, why, and whose streaks were at stake and how long they were. User-days whose gaps are all
      shorter than --min-gap minutes (5) are left out. Changes nothing; exits 1 when there are any.
      --format json names all users.
      """,
    options: [
      .init("from", "DAY", help: "the first user-local day"),
      .init("to", "DAY", help: "the last one"),
      .init("user", "ID", repeats: true, help: "only this user"),
      .init("reason", "TEXT", help: "why, for whoever reads the ledger"),
      ActorArgument.option,
      .init("propose", help: "list whom an outage hid"),
      .init("min-gap", "MINUTES", help: "with --propose: leave shorter gaps out (default 5)"),
    ],
    examples: [
      .init(
        "rewards excuse --from 2026-11-19 --to 2026-11-19 --reason \"API down from 22:00 to 02:00\"",
        "nobody's streak breaks on that day"),
      .init("rewards excuse --propose --from 2026-11-01", "whom nobody could see this month"),
    ])

  static func isForwarded(_ arguments: ParsedArguments) -> Bool { !arguments.has("propose") }

  /// Shorter gaps are left out, unless somebody asks for them.
  static let usualGapSeconds: Int64 = 5 * 60

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    guard arguments.has("propose") else {
      return try await ExcuseDeclareCommand.run(arguments, in: context)
    }
    if let stranger = ["user", "reason"].first(where: arguments.has) {
      throw CommandFailure(.usage, "--\(stranger) has no meaning with --propose")
    }
    let directory = DataDirectory(try context.configuration().data)
    let minutes = try arguments.value("min-gap").map {
      Int64(try NumberArgument.parse($0, place: "--min-gap", in: 0...1_440))
    }
    let hidden = try await HiddenDays.read(
      directory, days: DayArgument.range(arguments),
      gapSeconds: minutes.map { $0 * 60 } ?? usualGapSeconds)
    context.report {
      HiddenDaysText.text(of: hidden)
    } json: { json in
      HiddenDaysText.write(hidden, to: &json)
    }
    return hidden.days.isEmpty ? .done : .attention
  }
}

/// Declares an outage, here or in the service that holds the ledger.
struct ExcuseDeclareCommand: WritingCommand {
  static let spec = ExcuseCommand.spec
  /// A slip in a year would make everybody's streak unbreakable.
  private static let furthestDaysAhead: Int32 = 31

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    guard arguments.has("from"), arguments.has("to"), let days = try DayArgument.range(arguments)
    else { throw CommandFailure(.usage, "an excuse needs --from DAY and --to DAY") }
    guard arguments.has("reason") else {
      throw CommandFailure(.usage, "an excuse needs --reason TEXT")
    }
    let today = Day(number: Int32(clamping: runtime.clock.now().seconds / 86_400))
    let latest = today.adding(days: furthestDaysAhead)
    if days.upperBound > latest {
      throw CommandFailure(
        .usage, "\(days.upperBound) is more than \(furthestDaysAhead) days ahead", place: "--to",
        remedy: "An excuse cannot be taken back: declare it when the day is near.")
    }
    let users = arguments.values("user")
    let known = await runtime.writer.read { state in
      users.filter { state.ledger.index(of: $0) != nil }
    }
    if let stranger = users.first(where: { !known.contains($0) }) {
      throw CommandFailure.noMember(stranger)
    }
    let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
    let records = try await Excusing(runtime).declare(
      days, users: users, reason: try ReasonArgument.parse(arguments), actor: actor)
    let isClosed = await runtime.writer.scan { state in
      state.ledger.accounts.contains { $0.isPresent && $0.boundaryDay >= days.lowerBound }
    }
    context.report {
      "\(users.isEmpty ? "all users" : users.count == 1 ? "1 user" : "\(users.count) users") excused from \(days.lowerBound) to \(days.upperBound)\n"
        + (isClosed
          ? "days that are closed already change by a backfill: rewards backfill --plan plan.json\n"
          : "")
    } json: { json in
      json.member("from", days.lowerBound.description)
      json.member("to", days.upperBound.description)
      json.member("users", users)
      json.member("appended", records)
    }
    return .done
  }
}
