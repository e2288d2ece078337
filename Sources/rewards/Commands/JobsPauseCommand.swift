import Configuration
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Lets a job's fires pass, recorded as skipped, until it is resumed.
struct JobsPauseCommand: WritingCommand {
  static let spec = CommandSpec(
    "jobs pause", "let a job's fires pass, each recorded as skipped",
    arguments: [.init("NAME", help: "the job's name")],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"), ActorArgument.option,
    ],
    examples: [
      .init(
        "rewards jobs pause nightly-reconciliation --reason 'the API is being moved'",
        "until it is resumed")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let name = arguments.arguments[0]
    try JobsPauseCommand.check(name, in: context, at: runtime)
    try await runtime.writer.note(
      .operator(
        OperatorRecord(
          act: .pause, subject: name, reason: try ReasonArgument.parse(arguments),
          actor: try ActorArgument.parse(arguments, in: context, runtime.configuration))))
    context.report {
      "\(name) is paused\n"
    } json: { json in
      json.member("paused", name)
    }
    return .done
  }

  /// Throws when there is no such job.
  static func check(
    _ name: String, in context: CommandContext, at runtime: Runtime
  ) throws {
    // Of any ledger: one of several knows of jobs that another one runs.
    let names = try JobFolder.all(runtime.configuration, zones: context.zones).map(\.name)
    if names.contains(name) { return }
    throw Failure(
      .badData, "there is no such job\(NearestName.hint(for: name, among: names))",
      place: "job \"\(name)\"", remedy: "See rewards jobs list.")
  }
}
