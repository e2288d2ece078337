import CivilTime
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Records that an operator has found the clock right; reached as `rewards doctor --accept-clock`.
struct AcceptClockCommand: RequestingCommand {
  static let spec = DoctorCommand.spec

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> ClockRequest { ClockRequest(actor: arguments.value("actor")) }

  static func show(_ now: Instant, of request: ClockRequest, in context: CommandContext) -> ExitCode
  {
    context.report {
      "the clock is accepted: \(now)\n"
    } json: { json in
      json.member("accepted", now.description)
    }
    return .done
  }
}
