import CivilTime
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Declares an outage.
struct ExcuseCommand: WritingCommand {
  static let spec = CommandSpec(
    "excuse", "declare an outage: days that hold a streak although nothing was seen",
    details: """
      For all users, or for those named. Days that are not closed are judged by it from now on; days
      that are closed change by rewards backfill. Whoever was seen counts as always.
      """,
    options: [
      .init("from", "DAY", isRequired: true, help: "the first user-local day"),
      .init("to", "DAY", isRequired: true, help: "the last one"),
      .init("user", "ID", repeats: true, help: "only this user"),
      .init("reason", "TEXT", isRequired: true, help: "why, for whoever reads the ledger"),
    ],
    examples: [
      .init(
        "rewards excuse --from 2026-11-19 --to 2026-11-19 --reason \"API down from 22:00 to 02:00\"",
        "nobody's streak breaks on that day")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at workplace: Workplace
  ) async throws -> ExitCode {
    guard let days = try DayArgument.range(arguments) else { return .usage }
    let users = arguments.values("user")
    let known = await workplace.clerk.read { desk in users.filter { desk.book.index(of: $0) != nil }
    }
    if let stranger = users.first(where: { !known.contains($0) }) {
      throw CommandFailure(
        .badData, "the roster has no such user", place: "user \"\(stranger)\"",
        remedy: "See rewards users list.")
    }
    let actor = workplace.surroundings.actor
    let records = try await Excusing(workplace).declare(
      days, users: users, reason: try ReasonArgument.parse(arguments), actor: actor)
    context.report {
      "\(users.isEmpty ? "all users" : "\(users.count) users") excused from \(days.lowerBound) to \(days.upperBound)\n"
    } json: { json in
      json.member("from", days.lowerBound.description)
      json.member("to", days.upperBound.description)
      json.member("users", users)
      json.member("appended", records)
    }
    return .done
  }
}
