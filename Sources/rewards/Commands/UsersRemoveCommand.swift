import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Stops watching a user.
struct UsersRemoveCommand: RequestingCommand {
  static let spec = CommandSpec(
    "users remove", "stop judging a user; what was granted stays in the ledger",
    arguments: [
      .user("ID")
    ],
    options: [
      .init("reason", "TEXT", help: "why, for the record"), ActorArgument.option,
    ],
    examples: [
      .init("rewards users remove 4711", "the user is not judged from now on")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> RemovalRequest {
    RemovalRequest(
      of: arguments.arguments[0], reason: arguments.value("reason"),
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<String> {
    $0.add("removed") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(_: Void, of request: RemovalRequest, in context: CommandContext) -> ExitCode {
    let user = request.user
    context.report(user, as: output) {
      "\(user) removed; the past stays in the ledger\n"
    }
    return .done
  }
}
