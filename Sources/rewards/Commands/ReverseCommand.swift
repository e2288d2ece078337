import Described
import Engine
import Failures
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Takes a grant back, or undoes a reversal.
struct ReverseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "reverse", "take a grant back, with everything that hangs on it",
    details: """
      Level rewards that were not reached, exp that was not doubled: what would not have been without the
      grant is adjusted with it. No balance falls below zero unless --below-zero is given; the difference is
      waived. No later run gives the grant again until the reversal is undone by --undo.

      rewards blast shows the consequences before, and takes many grants back at once.
      """,
    arguments: [.grantKey],
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

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ReversalRequest {
    let balances = arguments.value("balances")
    return ReversalRequest(
      of: arguments.arguments[0], isUndone: arguments.has("undo"),
      isBelowZero: arguments.has("below-zero"), balances: balances,
      try balances.map { try BalancesArgument.lines($0, in: context) } ?? [],
      reason: arguments.required("reason"), actor: arguments.value("actor"),
      approving: arguments.value("approve"))
  }

  private static let output = JSONMembers<ReversalRequest.Report> {
    $0.add("key", \.key)
    $0.include(\.impact, as: ImpactText.output)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: ReversalRequest.Report, of request: ReversalRequest, in context: CommandContext
  ) -> ExitCode {
    let (key, impact) = (report.key, report.impact)
    context.report(report, as: output) {
      guard impact.direct.reversals > 0 else {
        return request.isUndone
          ? "\(key) is not taken back: nothing was appended\n"
          : "\(key) is taken back already: nothing was appended\n"
      }
      return (request.isUndone ? "\(key) given back\n" : "\(key) taken back\n")
        + ImpactText.sums(impact)
    }
    return .done
  }
}
