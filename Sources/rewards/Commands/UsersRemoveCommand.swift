import Failures
import Operations
import Scheduling
import StrictJSON

/// Ends the watch over a user.
struct UsersRemoveCommand: WritingCommand {
  static let spec = CommandSpec(
    "users remove", "stop watching a user; what was granted stays in the ledger",
    arguments: [
      .init("ID", help: "the user's id")
    ],
    examples: [
      .init("rewards users remove 4711", "the user is not judged from now on")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    guard try await UserRemoval(runtime).remove(user) else {
      throw Failure.noMember(user)
    }
    context.report {
      "\(user) removed; the past stays in the ledger\n"
    } json: { json in
      json.member("removed", user)
    }
    return .done
  }
}
