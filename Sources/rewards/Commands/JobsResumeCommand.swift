import Described
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Resumes a paused job from its next fire on.
struct JobsResumeCommand: RequestingCommand {
  static let spec = CommandSpec(
    "jobs resume", "let a paused job run again, from its next fire on",
    arguments: [.init("NAME", help: "the job's name")],
    options: [.init("reason", "TEXT", help: "why, for the record"), ActorArgument.option],
    examples: [
      .init("rewards jobs resume nightly-reconciliation", "what passed meanwhile stays skipped")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> JobResumeRequest {
    JobResumeRequest(
      of: arguments.arguments[0], reason: arguments.value("reason"),
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
