import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Deletes what is kept about a person, and says what stays.
struct UsersForgetCommand: RequestingCommand {
  static let spec = CommandSpec(
    "users forget", "delete a person's data for good; says what stays, and why",
    details: """
      Takes the user out and deletes the roster line, credentials, push device, polls,
      habits, and the lines about the user in delivery logs and in the inboxes' done and
      rejected files. Sinks are sent user.forgotten, and nothing else that waits for the
      user. The ledger is sealed: its lines stay under the id. With a pseudonym ("apiUser"
      in the roster) nothing here leads from them to the person any more.
      Nobody can come back under the id. If the command was interrupted, repeat it. Do not
      name the person in the reason: the ledger keeps it.
      """,
    arguments: [.user("ID")],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"),
      ActorArgument.option,
    ],
    examples: [
      .init(
        "rewards users forget 4711 --reason \"asked for deletion, ticket 118\"",
        "exits 1 if something could not be deleted")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ForgetRequest {
    ForgetRequest(
      arguments.arguments[0], reason: arguments.required("reason"),
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<UserForgetting.Report> {
    $0.add("user", \.user)
    $0.add("forgotten", \.at, "since when")
    $0.add("before", \.wasForgotten, "whether that was so before this command")
    $0.add("pseudonym", \.isPseudonym)
    $0.list("removed", \.removed) {
      $0.add("what", \.what)
      $0.add("place", \.place)
      $0.add("count", \.count)
    }
    $0.add("sinks", \.sinks, "that are sent user.forgotten")
    $0.add("ledgerLines", \.ledgerLines, "which stay")
    $0.add("elsewhere", \.elsewhere, "what this command does not reach")
    $0.add("problems", \.problems, "what could not be deleted")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: UserForgetting.Report, of request: ForgetRequest, in context: CommandContext
  ) -> ExitCode {
    for problem in report.problems { context.complain("not deleted: \(problem)") }
    context.report(report, as: output) { text(of: report) }
    if report.problems.isEmpty { return .done }
    context.complain("correct that and repeat the command: it deletes what is left")
    return .attention
  }

  private static func text(of report: UserForgetting.Report) -> String {
    let user = report.user
    var text = "\(user) \(report.wasForgotten ? "was forgotten at \(report.at)" : "forgotten")\n"
    for part in report.removed {
      text += "deleted: \(part.what) (\(part.count)), \(part.place)\n"
    }
    if report.removed.isEmpty { text += "deleted: nothing, none was left\n" }
    if !report.sinks.isEmpty { text += "told: \(report.sinks.joined(separator: ", "))\n" }
    let lines = Counted.text(report.ledgerLines, "line")
    text += "stays: \(lines) of the ledger under \(user), which is sealed\n"
    text +=
      report.isPseudonym
      ? "  \(user) is a pseudonym. Only the roster's apiUser led from it to the person, and\n"
        + "  that is deleted: the lines are no longer personal, as long as no other copy of the\n"
        + "  roster is left.\n"
      : "  \(user) is no pseudonym but the app's own id: whoever knows whose id it is can still\n"
        + "  read there what the person did and got. Only a roster with apiUser prevents that,\n"
        + "  from the user's first import on.\n"
    for place in report.elsewhere { text += "not reached: \(place)\n" }
    return text
  }
}
