import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Pauses deliveries to a sink.
struct RelayPauseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay pause", "send a sink nothing until it is resumed",
    details: "Its events wait in the ledger; nothing is lost. The other sinks go on.",
    arguments: [.init("SINK", help: "the sink's name")],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"), ActorArgument.option,
    ],
    examples: [
      .init(
        "rewards relay pause notify --reason 'the receiver is being moved'", "until it is resumed")
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
    "relay resume", "let a sink go on after a pause",
    details: """
      Also after the relay itself has paused it because its receiver answered 410, and when a receiver that was
      down is well again: what waits for a retry is then sent at once.
      """,
    arguments: [.init("SINK", help: "the sink's name")],
    examples: [.init("rewards relay resume notify", "deliveries go on where they were")])

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
