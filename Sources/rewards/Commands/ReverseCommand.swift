import Configuration
import Described
import Engine
import Failures
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Takes a grant back, or undoes a reversal; shows what depends on a set of grants, and plans to take them back.
struct ReverseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "reverse", "take back a grant and all that depends on it, or plan that for many grants",
    isPaged: true,
    details: """
      With KEY and --reason: takes this grant back, and adjusts what would not have happened
      without it, such as level rewards and doubled exp. No balance falls below zero unless
      you pass --below-zero; the difference is waived. No later run gives the grant again
      until --undo undoes the reversal.

      With --rules, --from, --to, --mission or --user instead of KEY: chooses grants by the
      version of their rules, by local days, missions and users, and shows what taking them
      back would change: levels, items, boosters, and who was notified. It changes nothing
      and may run beside a service.

      With --plan, also for one KEY: writes the reversals and everything that depends on
      them to a file, for rewards backfill --apply. It changes nothing else.
      """,
    arguments: [.grantKey(isOptional: true)],
    options: [
      .init("reason", "TEXT", help: "why, for the record"),
      ActorArgument.option, ApprovalArgument.option,
      .init("undo", help: "give back what the reversal of KEY took"),
      .init("rules", "VERSION", help: "only grants by this version of the rules"),
    ]
      + RangeOptions.days(
        first: "only grants of this local day or a later one",
        last: "only grants of this local day or an earlier one") + [
        .init("mission", "NAME", repeats: true, help: "only this mission, login, level or manual"),
        .init("user", "USER", repeats: true, help: "only this user"),
        .init("plan", "FILE", help: "write a plan to this file instead"),
        .init(
          "balances", "FILE",
          help:
            "what users have left: JSON lines {\"user\",\"points\"?,\"coins\"?}, or a table (CSV)"
        ),
        .init("below-zero", help: "take back more than users have left"),
      ],
    examples: [
      .init(
        "rewards reverse 4711/2026-11-20/gift --reason \"the gift was refunded\"",
        "one grant and what depends on it"),
      .init(
        "rewards reverse 4711/2026-11-20/gift --undo --reason \"refund cancelled\"",
        "as if it had not been reversed"),
      .init(
        "rewards reverse --rules 2026-11 --mission watch", "what depends on one mission's grants"),
      .init(
        "rewards reverse --month 2026-11 --mission gift --plan plan.json --reason \"refunded\"",
        "plan to take back a month's grants for gifts"),
    ])

  /// The options that choose grants.
  private static let choices = ["rules", "from", "to", "mission", "user"]

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let key = arguments.argument(0)
    if key != nil, choices.contains(where: arguments.has) {
      throw Failure(.usage, "pass either KEY, or --rules, --from and --to, --mission or --user")
    }
    if key != nil, !arguments.has("plan") {
      guard arguments.has("reason") else {
        throw UsageError(cause: "--reason is missing", hint: "usage: \(spec.usage)")
      }
      return try await carryOut(request(arguments, in: context), in: context)
    }
    if let stranger = ["undo", "approve"].first(where: arguments.has) {
      throw Failure(.usage, "--\(stranger) goes with KEY, and without --plan")
    }
    return try await plan(arguments, in: context)
  }

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

  fileprivate static let planned = JSONMembers<(id: String, impact: Impact, plan: String?)> {
    $0.add("id", \.id, "of the plan, for a choice of grants and with --plan")
    $0.include(\.impact, as: ImpactText.output)
    $0.add("plan", \.plan, "the file")
  }

  static var outputs: [JSONShape] { [output.shape, planned.shape] }

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

  /// Shows what depends on the chosen grants, and writes the plan if one is wanted.
  fileprivate static func plan(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    var selection = GrantSelection()
    selection.keys = arguments.argument(0).map { [$0] }
    selection.rules = arguments.value("rules")
    selection.days = try DayArgument.range(arguments)
    selection.missions = Set(arguments.values("mission"))
    selection.users = Set(arguments.values("user"))
    guard selection != GrantSelection() else {
      throw Failure(
        .usage, "choose grants: KEY, or --rules, --from and --to, --mission or --user")
    }
    let file = arguments.value("plan")
    guard (file != nil) == arguments.has("reason") else {
      throw file == nil
        ? Failure(
          .usage, "a choice of grants is only shown or planned: it needs no reason without --plan",
          place: "--reason", remedy: "Add --plan FILE, or leave --reason out.")
        : Failure(.usage, "--plan needs --reason TEXT")
    }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let environment = context.runtimeEnvironment("rewards reverse")
    let (plan, impact) = try await ReversalPlanner(configuration, environment).plan(
      selection, in: ledger, protection: arguments.has("below-zero") ? .nothing : .balances,
      balances: try BalancesArgument.read(arguments, in: context),
      reason: file == nil ? "" : try Reason.check(arguments.required("reason")),
      actor: file == nil ? "" : try ActorArgument.parse(arguments, in: context, configuration))
    if let file {
      let bytes = try BackfillPlanFile.encode(plan)
      try OutputFile.write(bytes, as: .plan, to: file, in: context)
    }
    context.report((plan.id, impact, file), as: planned) {
      ImpactText.text(of: impact)
        + (file.map { "written to \($0); rewards backfill --apply \($0) appends it\n" } ?? "")
    }
    return .done
  }
}

/// Shows what depends on a choice of grants, and plans to take them back: the former `blast`.
struct BlastCommand: Command {
  static let spec = CommandSpec(
    former: "blast",
    options: ReverseCommand.spec.options.filter { !["undo", "approve"].contains($0.name) })

  static var outputs: [JSONShape] { [ReverseCommand.planned.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    try await ReverseCommand.plan(arguments, in: context)
  }
}
