import Engine
import Failures
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Takes a grant back, or undoes that.
struct ReverseCommand: WritingCommand {
  static let spec = CommandSpec(
    "reverse", "take a grant back, with everything that hangs on it",
    details: """
      Level rewards that were not reached, exp that was not doubled: what would not have been without the
      grant is adjusted with it. No balance falls below zero unless --below-zero is given; the difference is
      waived. No later run gives the grant again until the reversal is undone by --undo.

      rewards blast shows the consequences before, and takes many grants back at once.
      """,
    arguments: [.init("KEY", help: "the grant's key, as 4711/2026-11-20/gift")],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for whoever reads the ledger"),
      ActorArgument.option, ApprovalArgument.option,
      .init("undo", help: "give back what a reversal has taken"),
      .init(
        "balances", "FILE",
        help: "what users have left: JSON lines {\"user\",\"points\"?,\"coins\"?}, or a table (CSV)"
      ),
      .init("below-zero", help: "take back more than the user has left"),
    ],
    examples: [
      .init(
        "rewards reverse 4711/2026-11-20/gift --reason \"the gift was refunded\"",
        "one grant and what hangs on it"),
      .init(
        "rewards reverse 4711/2026-11-20/gift --undo --reason \"refund cancelled\"",
        "as if it had not been reversed"),
    ])

  static func inputName(_ arguments: ParsedArguments) -> String? { arguments.value("balances") }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let key = arguments.arguments[0]
    let isUndone = arguments.has("undo")
    var selection = GrantSelection()
    selection.keys = [key]
    let impact: Impact
    do {
      let reason = try ReasonArgument.parse(arguments)
      let actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
      let (plan, found) = try await ReversalPlanner(
        runtime.configuration, runtime.environment
      ).plan(
        selection, undoing: isUndone,
        protection: arguments.has("below-zero") ? .nothing : .balances,
        balances: try BalancesArgument.read(arguments, in: context),
        reason: reason, actor: actor)
      try plan.requireNothingWaits(place: key)
      impact = found
      try await runtime.secondActor.admit(
        BigAct(
          what: "\(isUndone ? "give back" : "reverse") \(key): \(plan.amountsByHand.text), "
            + "as of line \(await amended(by: key, runtime))",
          reason: reason),
        plan.amountsByHand, approving: arguments.value("approve"), actor: actor)
      if !plan.users.isEmpty { _ = try await BackfillApplication(runtime).apply(plan) }
    } catch let refusal as BackfillApplication.Refusal {
      throw refusal.failure.placed(at: key)
    }
    context.report {
      guard impact.direct.reversals > 0 else {
        return isUndone
          ? "\(key) is not taken back: nothing was appended\n"
          : "\(key) is taken back already: nothing was appended\n"
      }
      return (isUndone ? "\(key) given back\n" : "\(key) taken back\n") + ImpactText.sums(impact)
    } json: { json in
      json.member("key", key)
      ImpactText.write(impact, to: &json)
    }
    return .done
  }

  /// The last line that changed what the user of `key` has of closed days, or took something back: an approval counts for what
  /// stood then, and is spent once it is carried out.
  private static func amended(by key: String, _ runtime: Runtime) async -> UInt64 {
    await runtime.writer.read { state in
      state.ledger.account(of: String(key.prefix { $0 != "/" }))?.amended ?? 0
    }
  }
}
