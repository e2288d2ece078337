import CivilTime
import Configuration
import Described
import Failures
import LedgerStore
import Operations

/// Takes back what was written while the clock was ahead; reached as `rewards doctor --undo-future`. A service cannot do this, because it
/// works with the state that is taken back.
struct UndoFutureCommand: Command {
  static let spec = DoctorCommand.spec

  static let output = JSONMembers<FutureUndoing.Report> {
    $0.add("now", \.now)
    $0.add("through", \.through)
    $0.add("undone", \.lines, "lines taken back")
    $0.add("closes", \.closes)
    $0.add("grants", \.grants)
    $0.add("again", \.again, "lines written again")
    $0.add("judged", \.judged, "records that followed")
    $0.add("changed", \.changed)
  }

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
        remedy: "Stop the service first: it holds the state that is taken back.")
    }
    context.report(report, as: output) {
      guard let through = report.through else {
        return "nothing is to be taken back: nothing was recorded after \(report.now)\n"
      }
      return """
        taken back: \(report.lines) lines through \(through), \(report.closes) closes and \(report.grants) grants among them
        written again, because they are true: \(report.again); records that followed: \(report.judged)
        events that sinks received about the rest are not taken back: rewards help operations

        """
          + (report.changed.isEmpty
            ? "" : "granted otherwise, or no more: \(report.changed.joined(separator: " "))\n")
    }
    return .done
  }
}
