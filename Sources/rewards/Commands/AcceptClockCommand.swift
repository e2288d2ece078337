import CivilTime
import Described
import Failures
import Ledger
import Operations
import Scheduling

/// Records that an operator has found the clock right; reached as `rewards doctor --accept-clock`.
struct AcceptClockCommand: RequestingCommand {
  static let spec = DoctorCommand.spec

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> ClockRequest { ClockRequest(actor: arguments.value("actor")) }

  static let output = JSONMembers<Instant> {
    $0.add("accepted") { $0 }
  }

  static func show(_ now: Instant, of request: ClockRequest, in context: CommandContext) -> ExitCode
  {
    context.report(now, as: output) {
      "the clock is accepted: \(now)\n"
    }
    return .done
  }
}
