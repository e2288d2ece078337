import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Lets a paused job run again from its next fire on.
struct JobsResumeCommand: WritingCommand {
  static let spec = CommandSpec(
    "jobs resume", "let a paused job run again, from its next fire on",
    arguments: [.init("NAME", help: "the job's name")],
    options: [.init("reason", "TEXT", help: "why, for the record"), ActorArgument.option],
    examples: [
      .init("rewards jobs resume nightly-reconciliation", "what passed meanwhile stays skipped")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let name = arguments.arguments[0]
    try JobsPauseCommand.check(name, in: context, at: runtime)
    let isPaused = await runtime.writer.read { $0.ledger.jobs.pauses[name] != nil }
    guard isPaused else {
      throw Failure(.badData, "the job is not paused", place: "job \"\(name)\"")
    }
    let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
    // What fell into the pause is recorded before it ends: after it, it would be caught up.
    try await JobPauses(runtime).recordSkipped(job: name)
    try await runtime.writer.note(
      .operator(
        OperatorRecord(
          act: .resume, subject: name, reason: arguments.value("reason") ?? "",
          actor: actor)))
    context.report {
      "\(name) runs again\n"
    } json: { json in
      json.member("resumed", name)
    }
    return .done
  }
}
