import CivilTime
import Configuration
import Described
import Engine
import Failures
import Foundations
import LedgerStore
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Plans a backfill, or applies a plan.
struct BackfillCommand: Command {
  static let spec = CommandSpec(
    "backfill", "plan what closed days should have been, then apply the plan", isPaged: true,
    details: """
      With --plan: judges the days from --from to --to again from everything that is
      recorded now (late evidence, excuses, corrected rules), and every later day that
      depends on them. It writes the exact records to a file and changes nothing else. It
      never takes anything back for closed days unless you pass --claw-back: the difference
      is waived. Open days follow the plan without a waiver; the plan shows what users would
      lose on them. Without --from and --to it plans the days that wait for a backfill. A
      range needs both ends: a plan must not reach further than you meant.

      With --apply: appends the plan's missing records, after a record of who applied it. It
      refuses a plan that was edited, that no longer fits the ledger, or that gives more
      than --max-points. You may interrupt and repeat it: nothing is granted twice. A plan
      of rewards reverse that takes more than one person may (approval.pointsByHand) needs a
      second person, who repeats the command with --approve ID. Sinks receive the grants,
      marked with their cause; pushes reach users only with --notify, as one summary each
      (backfill.summary).
      """,
    options: RangeOptions.days(
      first: "the first local day to judge again", last: "the last local day to judge again") + [
        .init(
          "user", "USER", repeats: true, help: "only this user, whether evidence came late or not"),
        .init(
          "all",
          help: "also users without late evidence, for instance after an audit found something"),
        .init("claw-back", help: "take back what should not have been granted"),
        .init("plan", "FILE", help: "write the plan to this file"),
        .init("apply", "FILE", help: "append the plan in this file"),
        .init("max-points", "N", help: "refuse a plan that gives more points in total"),
        .init("notify", help: "send each user one event that sums up the plan"),
        ActorArgument.option, ApprovalArgument.option,
      ],
    examples: [
      .init("rewards backfill --plan plan.json", "plan whatever waits for a backfill"),
      .init(
        "rewards backfill --from 2026-11-18 --to 2026-11-20 --plan plan.json",
        "plan what three days should have been"),
      .init("rewards backfill --apply plan.json --max-points 50000", "apply the plan"),
    ])

  /// Uses all ledgers at once, because a plan for several is one file.
  static func shards(_ arguments: ParsedArguments) -> ShardUse { .all }

  /// What stands in the place of a plan when there is nothing to plan.
  private static let noPlan = JSONMembers<Int> {
    $0.add("waitingDays", { $0 }, "nothing to plan")
  }

  static var outputs: [JSONShape] {
    [BackfillPlanFile.shape, noPlan.shape, BackfillApplyCommand.output.shape]
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    switch (arguments.value("plan"), arguments.value("apply")) {
    case (let file?, nil): return try await plan(arguments, into: file, in: context)
    case (nil, let file?):
      return context.shards > 1
        ? try await ShardedPlan.apply(file, arguments, in: context)
        : try await BackfillApplyCommand.run(arguments, in: context)
    default:
      throw Failure(
        .usage, "pass either --plan FILE or --apply FILE",
        remedy: "See rewards help backfill.")
    }
  }

  private static func plan(
    _ arguments: ParsedArguments, into file: String, in context: CommandContext
  ) async throws -> ExitCode {
    if arguments.has("notify") {
      throw Failure(.usage, "--notify goes with --apply, not with --plan")
    }
    let given = try DayArgument.range(arguments)
    if arguments.has("from") != arguments.has("to") || given == nil && arguments.has("all") {
      throw Failure(.usage, "pass both --from DAY and --to DAY")
    }
    var parts: [(arguments: ParsedArguments, context: CommandContext, ledger: LedgerReader)] = []
    for (arguments, context) in ShardedPlan.parts(of: arguments, in: context) {
      let ledger = try await LedgerReading.open(context.configuration().directory)
      let strangers = try await planner(in: context).strangers(
        among: arguments.values("user"), in: ledger)
      if let stranger = strangers.first { throw Failure.unknownUser(stranger) }
      parts.append((arguments, try await context.inTime(of: ledger), ledger))
    }
    var bytes: [UInt8] = []
    var unused: [String] = []
    for (arguments, context, ledger) in parts {
      let proposal = try await planner(in: context).propose(
        BackfillOrder(
          days: given, users: Set(arguments.values("user")), isForAll: arguments.has("all"),
          protection: arguments.has("claw-back") ? .nothing : .everything), in: ledger)
      guard let proposal else {
        context.report(0, as: noPlan) {
          "no day waits for a backfill: there is nothing to plan"
            + (parts.count == 1 ? ", and \(file) is not written\n" : "\n")
        }
        continue
      }
      bytes += try show(proposal.plan, file, in: context)
      unused += proposal.rulesNotInUse.filter { !unused.contains($0) }
    }
    if !bytes.isEmpty {
      try OutputFile.write(bytes, as: .plan, to: file, in: context)
    }
    guard !unused.isEmpty else { return .done }
    context.complain(
      "the rules \(unused.joined(separator: ", ")) are configured, but not in use yet: the plan is "
        + "without them. Run rewards reconcile, which puts them into use, and plan again")
    return .attention
  }

  private static func planner(in context: CommandContext) throws -> BackfillPlanner {
    BackfillPlanner(try context.configuration(), context.runtimeEnvironment("rewards backfill"))
  }

  /// Shows a plan and returns it as written in the file.
  private static func show(
    _ plan: BackfillPlan, _ file: String, in context: CommandContext
  ) throws -> [UInt8] {
    let bytes = try BackfillPlanFile.encode(plan)
    switch context.options.format {
    case .text: context.show(BackfillText.text(of: plan, file: file, context.style))
    case .json: context.environment.output.write(bytes)
    }
    return bytes
  }
}

/// Applies a plan, here or in the service that holds the ledger.
struct BackfillApplyCommand: RequestingCommand {
  static let spec = BackfillCommand.spec
  static let output = JSONMembers<PlanRequest.Report> {
    $0.add("id", \.id)
    $0.add("appended", \.receipt.planned.appended)
    $0.add("grants", \.receipt.planned.grants)
    $0.include(\.receipt.planned.amounts)
    $0.object("runningDays", \.receipt.running, "what followed on days that still run") {
      $0.add("appended", \.appended)
      $0.include(\.amounts)
    }
  }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> PlanRequest {
    let file = arguments.required("apply")
    return try request(context.input(file), of: file, arguments)
  }

  /// Returns the request to apply the plan in `bytes`, one of those in `file`.
  static func request(
    _ bytes: [UInt8], of file: String, _ arguments: ParsedArguments
  ) throws -> PlanRequest {
    if let stranger = ["from", "to", "user", "all", "claw-back"].first(where: arguments.has) {
      throw Failure(
        .usage, "--\(stranger) goes with --plan, not with --apply")
    }
    return PlanRequest(
      bytes, of: file, maxPoints: try MaxPointsArgument.parse(arguments),
      notifies: arguments.has("notify"), actor: arguments.value("actor"),
      approving: arguments.value("approve"))
  }

  static func show(
    _ report: PlanRequest.Report, of request: PlanRequest, in context: CommandContext
  ) -> ExitCode {
    let (counts, running) = (report.receipt.planned, report.receipt.running)
    context.report(report, as: output) {
      (counts.appended == 0
        ? report.isEmpty
          ? "plan \(report.id) is empty: there is nothing to do\n"
          : "plan \(report.id) is in the ledger already: nothing was appended\n"
        : "plan \(report.id) applied: \(counts.appended) records appended, "
          + "\(counts.amounts.text(showing: .points))\n")
        + (running.appended == 0
          ? ""
          : "open days follow: \(Counted.text(running.appended, "record")), "
            + "\(running.amounts.text(showing: .points))\n")
    }
    return .done
  }
}
