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
    let now = try await runtime.acceptClock(actor: actor)
    context.report {
      "the clock is accepted: \(now)\n"
    } json: { json in
      json.member("accepted", now.description)
    }
    return .done
  }
}
