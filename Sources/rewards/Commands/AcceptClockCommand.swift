import CivilTime
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Records that an operator has found the clock right; reached as `rewards doctor --accept-clock`.
struct AcceptClockCommand: WritingCommand {
  static let spec = DoctorCommand.spec
  static let needsRightClock = false

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let now = runtime.clock.now()
    let last = await runtime.writer.read { $0.ledger.at }
    guard now >= last else {
      throw CommandFailure(
        .tryAgain, "the clock shows \(now), before the ledger's last record \(last)",
        remedy:
          "Such a clock cannot be accepted: set it right, or put back a copy of the data folder.")
    }
    try await runtime.writer.note(
      .operator(
        OperatorRecord(
          act: .acceptClock, subject: now.description, reason: "rewards doctor --accept-clock",
          actor: try ActorArgument.parse(arguments, in: context, runtime.configuration))))
    context.report {
      "the clock is accepted: \(now)\n"
    } json: { json in
      json.member("accepted", now.description)
    }
    return .done
  }
}
