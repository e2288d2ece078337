import Configuration
import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Imports the roster into the ledger.
struct UsersImportCommand: RequestingCommand {
  static let spec = CommandSpec(
    "users import", "import the roster into the ledger; changes only what differs",
    details: """
      Each line is a JSON object: {"user","apiUser"?,"timezone","since"?,"deviceToken"?,
      "account"?,"opening"?}. Device tokens and "account", the id of the user's document in
      the app's store, are for the sinks: the service reads them from the roster file, and
      the ledger never holds them. An opening balance is recorded as the act of whoever
      imports it; only a user who is new to the ledger gets one. With "apiUser", the id of
      the app's API, the ledger's id is a pseudonym; the service reads it from the roster
      file only, so the line must stand there too.

      Opening balances, and days that have ended, of more worth than one person may give
      ("approval" of the configuration) wait: a second person repeats the command with
      --approve ID. Everybody else is imported at once.
      """,
    arguments: [
      .init("FILE", help: "the roster; - for standard input")
    ],
    options: [ActorArgument.option, ApprovalArgument.option],
    examples: [
      .init("rewards users import users.jsonl", "new users, and users whose zone has changed"),
      .init("export-users | rewards users import -", "from another program"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> RosterRequest {
    let file = arguments.arguments[0]
    return RosterRequest(
      try context.input(file), of: file, actor: arguments.value("actor"),
      approving: arguments.value("approve"))
  }

  private static let output = JSONMembers<RosterImport.Result> {
    $0.add("added", \.added)
    $0.add("moved", \.moved)
    $0.add("unchanged", \.unchanged)
    $0.add("missing", \.missing, "in the ledger, not in the file")
    $0.add("held", \.held, "new users who wait for a second person")
    $0.list("refused", \.problems) {
      $0.add("line", \.line)
      $0.add("what", \.what)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ result: RosterImport.Result, of request: RosterRequest, in context: CommandContext
  ) -> ExitCode {
    for problem in result.problems { context.complain("\(request.file), \(problem)") }
    if let waiting = result.waiting {
      context.complain(
        Failure(
          .permission, "users who wait: \(result.held); \(waiting.cause)",
          remedy: waiting.remedy))
    }
    context.report(result, as: output) {
      "\(result.added) added, \(result.moved) moved, \(result.unchanged) unchanged, "
        + "\(result.problems.count) refused\n" + missing(result.missing)
    }
    if result.waiting != nil { return .permission }
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
