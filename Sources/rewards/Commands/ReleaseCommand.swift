import Failures
import Operations
import RewardRules
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
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for whoever reads the ledger"),
      ActorArgument.option, ApprovalArgument.option,
    ],
    examples: [
      .init(
        "rewards release 4711/2026-11-20/gift --reason \"a marathon stream, checked\"",
        "one grant, whatever the limit says")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let key = arguments.arguments[0]
    let counts: AppendCounts
    do {
      let reason = try ReasonArgument.parse(arguments)
      let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
      counts = try await Release(runtime).release(key, reason: reason, actor: actor) { amounts in
        try await runtime.secondActor.admit(
          BigAct(what: "release \(key): \(amounts.text)", reason: reason), amounts,
          approving: arguments.value("approve"), actor: actor)
      }
    } catch let refusal as BackfillApplication.Refusal {
      throw refusal.failure.placed(at: key)
    }
    context.report {
      counts.appended == 0
        ? "\(key) was released before: nothing was appended\n"
        : "\(key) released: \(counts.appended) records appended, \(counts.points) points\n"
    } json: { json in
      json.member("key", key)
      json.member("appended", counts.appended)
      json.member("grants", counts.grants)
      json.member("points", counts.points)
      json.member("exp", counts.exp)
    }
    return .done
  }
}
