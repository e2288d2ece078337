import Failures
import Operations
import Scheduling
import StrictJSON

/// Stops deliveries to a sink.
struct RelayPauseCommand: WritingCommand {
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

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let sink = arguments.arguments[0]
    let reason = try ReasonArgument.parse(arguments)
    try await RelayActs(runtime).pause(
      sink, reason: reason,
      actor: try ActorArgument.parse(arguments, in: context, runtime.configuration))
    context.report {
      "\(sink) is paused\n"
    } json: { json in
      json.member("paused", sink)
    }
    return .done
  }
}

/// Lets deliveries to a sink go on.
struct RelayResumeCommand: WritingCommand {
  static let spec = CommandSpec(
    "relay resume", "let a sink go on after a pause",
    details: """
      Also after the relay itself has paused it because its receiver answered 410, and when a receiver that was
      down is well again: what waits for a retry is then sent at once.
      """,
    arguments: [.init("SINK", help: "the sink's name")],
    examples: [.init("rewards relay resume notify", "deliveries go on where they were")])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let sink = arguments.arguments[0]
    try await RelayActs(runtime).resume(sink)
    context.report {
      "\(sink) goes on\n"
    } json: { json in
      json.member("resumed", sink)
    }
    return .done
  }
}
