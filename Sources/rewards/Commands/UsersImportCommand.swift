import Configuration
import Failures
import Operations
import Scheduling
import StrictJSON

/// Imports the roster into the ledger.
struct UsersImportCommand: RequestingCommand {
  static let spec = CommandSpec(
    "users import", "bring the roster into the ledger; changes only what differs",
    details: """
      One JSON object per line: {"user","timezone","since"?,"deviceToken"?,"opening"?}. Opening balances are
      recorded as the act of whoever brings them in; only a user whom the ledger does not know yet gets one.
      """,
    arguments: [
      .init("FILE", help: "the roster, - for standard input")
    ],
    options: [ActorArgument.option],
    examples: [
      .init("rewards users import users.jsonl", "new users, and those whose zone has changed"),
      .init("export-users | rewards users import -", "from another program"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> RosterRequest {
    let file = arguments.arguments[0]
    return RosterRequest(
      try context.input(file), of: file, actor: arguments.value("actor"))
  }

  static func show(
    _ result: RosterImport.Result, of request: RosterRequest, in context: CommandContext
  ) -> ExitCode {
    for problem in result.problems { context.complain("\(request.file), \(problem)") }
    context.report {
      "\(result.added) added, \(result.moved) moved, \(result.unchanged) unchanged, "
        + "\(result.problems.count) refused\n" + missing(result.missing)
    } json: { json in
      json.member("added", result.added)
      json.member("moved", result.moved)
      json.member("unchanged", result.unchanged)
      json.member("missing", result.missing)
      json.objects("refused", result.problems) { json, problem in
        json.member("line", problem.line)
        json.member("what", problem.what)
      }
    }
    return result.problems.isEmpty ? .done : .attention
  }

  /// Returns a note on users whom the roster does not name, with some of their ids.
  private static func missing(_ users: [String]) -> String {
    if users.isEmpty { return "" }
    let named = users.prefix(10).joined(separator: ", ") + (users.count > 10 ? ", …" : "")
    return
      "not named, and still watched: \(users.count) (\(named)); rewards users remove ID takes a user out\n"
  }
}
