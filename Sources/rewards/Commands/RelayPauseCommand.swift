import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Pauses deliveries to a sink.
struct RelayPauseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay pause", "send a sink nothing until you resume it",
    details: "Its events wait in the ledger; nothing is lost. The other sinks continue.",
    arguments: [.init("SINK", help: "the sink's name")],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"), ActorArgument.option,
    ],
    examples: [
      .init(
        "rewards relay pause notify --reason 'moving the receiver'", "until you resume it")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> SinkPauseRequest {
    SinkPauseRequest(
      of: arguments.arguments[0], reason: arguments.required("reason"),
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<String> { $0.add("paused") { $0 } }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(_: Void, of request: SinkPauseRequest, in context: CommandContext) -> ExitCode {
    let sink = request.sink
    context.report(sink, as: output) {
      "\(sink) is paused\n"
    }
    return .done
  }
}

/// Resumes deliveries to a sink.
struct RelayResumeCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay resume", "resume deliveries to a sink",
    details: """
      Also use it after the relay has paused the sink because its receiver answered 410, and
      when a receiver works again: what waits for a retry is then sent at once.
      """,
    arguments: [.init("SINK", help: "the sink's name")],
    examples: [.init("rewards relay resume notify", "deliveries continue where they stopped")])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> SinkResumeRequest { SinkResumeRequest(of: arguments.arguments[0]) }

  private static let output = JSONMembers<String> { $0.add("resumed") { $0 } }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(_: Void, of request: SinkResumeRequest, in context: CommandContext) -> ExitCode {
    let sink = request.sink
    context.report(sink, as: output) {
      "\(sink) goes on\n"
    }
    return .done
  }
}
