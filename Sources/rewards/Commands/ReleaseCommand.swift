import Operations
import Scheduling
import StrictJSON

/// Lets a grant through that a limit holds back.
struct ReleaseCommand: WritingCommand {
  static let spec = CommandSpec(
    "release", "let a grant through that the day's limit holds back",
    details: """
      The key stands in the record that says so, and in rewards explain. A closed day's grant comes with
      everything that hangs on it: exp, levels, boosters.
      """,
    arguments: [.init("KEY", help: "the grant's key, as 4711/2026-11-20/gift")],
    options: [.init("reason", "TEXT", isRequired: true, help: "why, for whoever reads the ledger")],
    examples: [
      .init(
        "rewards release 4711/2026-11-20/gift --reason \"a marathon stream, checked\"",
        "one grant, whatever the limit says")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at workplace: Workplace
  ) async throws -> ExitCode {
    let key = arguments.arguments[0]
    let tally: Tally
    do {
      tally = try await Release(workplace).release(
        key, reason: try ReasonArgument.parse(arguments), actor: workplace.surroundings.actor)
    } catch Release.Problem.notHeldBack {
      throw CommandFailure(
        .badData, "nothing is held back under this key", place: key,
        remedy: "See rewards ledger export --type refused.")
    } catch Release.Problem.waiting(let plan) {
      try WaitingDays.check(plan, place: key)
      return .tryAgain
    } catch let refusal as BackfillApplication.Refusal {
      throw CommandFailure(describing: refusal, place: key)
    }
    context.report {
      tally.appended == 0
        ? "\(key) was released before: nothing was appended\n"
        : "\(key) released: \(tally.appended) records appended, \(tally.points) points\n"
    } json: { json in
      json.member("key", key)
      json.member("appended", tally.appended)
      json.member("grants", tally.grants)
      json.member("points", tally.points)
      json.member("exp", tally.exp)
    }
    return .done
  }
}
