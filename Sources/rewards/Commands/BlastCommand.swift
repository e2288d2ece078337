import Configuration
import Described
import Engine
import Failures
import Operations
import Scheduling
import StrictJSON

/// Shows what depends on a set of grants, and writes a plan that takes them back.
struct BlastCommand: Command {
  static let spec = CommandSpec(
    "blast", "show all that hangs on a set of grants, and plan to take them back",
    details: """
      Chooses grants by the version of the rules that gave them, by user-local days, missions and users, and
      works out what their being gone brings about: levels, items, boosters, who was told. Changes nothing,
      and may run beside a service. With --plan: writes the reversals with everything that hangs on them, for
      rewards backfill --apply. No balance falls below zero unless --below-zero is given.
      """,
    options: [
      .init("rules", "VERSION", help: "only grants of this version of the rules"),
      .init("from", "DAY", help: "only grants of this user-local day or a later one"),
      .init("to", "DAY", help: "only grants of this day or an earlier one"),
      .init("mission", "NAME", repeats: true, help: "only this mission, login, level or manual"),
      .init("user", "ID", repeats: true, help: "only this user"),
      .init("plan", "FILE", help: "write the plan here"),
      .init("reason", "TEXT", help: "why, for the reversals of the plan"),
      ActorArgument.option,
      .init(
        "balances", "FILE",
        help: "what users have left: JSON lines {\"user\",\"points\"?,\"coins\"?}, or a table (CSV)"
      ),
      .init("below-zero", help: "take back more than users have left"),
    ],
    examples: [
      .init("rewards blast --rules 2026-11 --mission watch", "what hangs on one mission's grants"),
      .init(
        "rewards blast --from 2026-11-20 --to 2026-11-20 --mission gift --plan plan.json "
          + "--reason \"gifts were refunded\"",
        "plan to take a day's grants back"),
    ])

  private static let output = JSONMembers<(id: String, impact: Impact, plan: String?)> {
    $0.add("id", \.id, "of the plan")
    $0.include(\.impact, as: ImpactText.output)
    $0.add("plan", \.plan, "the file")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    var selection = GrantSelection()
    selection.rules = arguments.value("rules")
    selection.days = try DayArgument.range(arguments)
    selection.missions = Set(arguments.values("mission"))
    selection.users = Set(arguments.values("user"))
    guard selection != GrantSelection() else {
      throw Failure(
        .usage, "which grants? --rules, --from and --to, --mission or --user say it")
    }
    let file = arguments.value("plan")
    guard file == nil || arguments.has("reason") else {
      throw Failure(.usage, "a plan needs --reason TEXT")
    }
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let environment = context.runtimeEnvironment("rewards blast")
    let (plan, impact) = try await ReversalPlanner(configuration, environment).plan(
      selection, in: ledger, protection: arguments.has("below-zero") ? .nothing : .balances,
      balances: try BalancesArgument.read(arguments, in: context),
      reason: file == nil ? "" : try Reason.check(arguments.required("reason")),
      actor: file == nil ? "" : try ActorArgument.parse(arguments, in: context, configuration))
    if let file {
      let bytes = try BackfillPlanFile.encode(plan)
      try OutputFile.write(bytes, as: .plan, to: file, in: context)
    }
    context.report((plan.id, impact, file), as: output) {
      ImpactText.text(of: impact)
        + (file.map { "written to \($0); rewards backfill --apply \($0) appends it\n" } ?? "")
    }
    return .done
  }
}
