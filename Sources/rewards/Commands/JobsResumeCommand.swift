import Described
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Resumes a paused job from its next fire on.
struct JobsResumeCommand: RequestingCommand {
  static let spec = CommandSpec(
    "jobs resume", "resume a paused job from its next run on",
    arguments: [JobArgument.argument],
    options: [.init("reason", "TEXT", help: "why, for the record"), ActorArgument.option],
    examples: [
      .init("rewards jobs resume nightly-reconciliation", "runs that were skipped stay skipped")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> JobResumeRequest {
    JobResumeRequest(
      of: try JobArgument.name(arguments.arguments[0], in: context),
      reason: arguments.value("reason"),
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<String> {
    $0.add("resumed") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(_: Void, of request: JobResumeRequest, in context: CommandContext) -> ExitCode {
    let name = request.job
    context.report(name, as: output) {
      "\(name) runs again\n"
    }
    return .done
  }
}
