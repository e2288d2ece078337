import CivilTime
import Configuration
import Failures
import LedgerStore
import Operations
import StrictJSON

/// Takes back what was written while the clock was ahead; reached as `rewards doctor --undo-future`. A service cannot do this, because it
/// works with the state that is taken back.
struct UndoFutureCommand: Command {
  static let spec = DoctorCommand.spec

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let actor = try ActorArgument.parse(arguments, in: context, configuration)
    let report: FutureUndoing.Report
    do {
      report = try await FutureUndoing(
        configuration, context.runtimeEnvironment("rewards doctor --undo-future")
      ).run(actor: actor)
    } catch let error as LedgerError where error.kind == .locked {
      throw Failure(
        .tryAgain, error.cause, place: error.place,
        remedy: "Stop the service first: it works with the state that is taken back.")
    }
    context.report {
      guard let through = report.through else {
        return "nothing is to be taken back: nothing was recorded after \(report.now)\n"
      }
      return """
        taken back: \(report.lines) lines through \(through), \(report.closes) closes and \(report.grants) grants among them
        written again, because they are true: \(report.again); records that followed: \(report.judged)
        what sinks were told of the rest is not taken back: rewards help operations

        """
          + (report.changed.isEmpty
            ? "" : "granted otherwise, or no more: \(report.changed.joined(separator: " "))\n")
    } json: { json in
      json.member("now", report.now.description)
      json.member("through", report.through?.description)
      json.member("undone", report.lines)
      json.member("closes", report.closes)
      json.member("grants", report.grants)
      json.member("again", report.again)
      json.member("judged", report.judged)
      json.member("changed", report.changed)
    }
    return .done
  }
}
