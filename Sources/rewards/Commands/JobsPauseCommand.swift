import Configuration
import Described
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Pauses a job: its fires are recorded as skipped until it is resumed.
struct JobsPauseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "jobs pause", "pause a job: its runs are recorded as skipped until you resume it",
    arguments: [JobArgument.argument],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"), ActorArgument.option,
    ],
    examples: [
      .init(
        "rewards jobs pause nightly-reconciliation --reason 'moving the API'",
        "until you resume it")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> JobPauseRequest {
    JobPauseRequest(
      of: try JobArgument.name(arguments.arguments[0], in: context),
      reason: arguments.required("reason"),
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<String> {
    $0.add("paused") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(_: Void, of request: JobPauseRequest, in context: CommandContext) -> ExitCode {
    let name = request.job
    context.report(name, as: output) {
      "\(name) is paused\n"
    }
    return .done
  }
}
