import CivilTime
import Failures
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
    let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
    let now: Instant
    do {
      now = try await runtime.acceptClock(actor: actor)
    } catch let error as Runtime.ClockBehind {
      throw Failure(
        .tryAgain, "the clock shows \(error.now), before the ledger's last record \(error.last)",
        remedy:
          "Such a clock cannot be accepted: \(RuntimeError.aheadRemedy)."
      )
    }
    context.report {
      "the clock is accepted: \(now)\n"
    } json: { json in
      json.member("accepted", now.description)
    }
    return .done
  }
}
