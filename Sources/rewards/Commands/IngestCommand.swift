import CivilTime
import Configuration
import Described
import Failures
import LedgerStore
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Records activities that no route of the API reports.
struct IngestCommand: RequestingCommand {
  static let spec = CommandSpec(
    "ingest", "record activities from a file or standard input",
    details: """
      Each line is a JSON object: {"user","kind","at","id"?} or
      {"completeThrough":INSTANT}. With the kind "credit" it tells of the shop: points,
      coins, exp, items and boosterDays, where negative points and coins are spent; rewards
      help inbox has the fields. Duplicates are harmless. Bad lines are set aside with the
      reason; the others are judged at once. While a service holds the ledger, it does the
      work, with the same answer and exit code.

      A credit that gives more than approval.expPerCredit (10,000) exp,
      approval.boosterDaysPerCredit (30), or approval.pointsByHand or coinsByHand (10,000), is
      set aside and recorded: a second person ingests the same line with --approve ID.

      After rewards ledger restore, the inbox proves nothing and days stay unknown until
      everything received since the backup is ingested again with --after-restore. If
      nothing was received, ingest an empty file. Lines that are already in the ledger add
      nothing.
      """,
    arguments: [.init("FILE", help: "the lines; - for standard input")],
    options: [
      ActorArgument.option,
      .init(
        "approve", "ID", repeats: true, help: "accept a credit that another person has requested"),
      .init("after-restore", help: "with this file, the inbox is complete again since the backup"),
    ],
    examples: [
      .init("rewards ingest logins.jsonl", "from a file"),
      .init(
        "echo '{\"user\":\"7\",\"kind\":\"login\",\"at\":\"2026-11-20T08:00:00Z\"}' | rewards ingest -",
        "one login"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> InboxRequest {
    InboxRequest(
      try context.input(arguments.arguments[0]),
      completesInbox: arguments.has("after-restore"), approving: arguments.values("approve"),
      actor: arguments.value("actor"))
  }

  private static let handedOver = JSONMembers<String> {
    $0.add(
      "handedOver", { $0 },
      "the inbox file, if the process that holds the ledger takes no commands")
  }
  private static let output = JSONMembers<Ingestion.Report> {
    $0.add("appended", \.counts.appended)
    $0.add("grants", \.counts.grants)
    $0.include(\.counts.amounts)
    $0.add("credits", \.counts.credits, "what users received or spent elsewhere")
    $0.add("rejected", \.rejected)
    $0.add("rejections", \.rejections, "the first of them, with file and reason")
    $0.add("lateEvidence", \.lateEvidence)
  }

  static var outputs: [JSONShape] { [output.shape, handedOver.shape] }

  static func handOver(
    _ request: InboxRequest, in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    // The reader has a present of its own. An approver must be known, and a completed inbox must hold its last lines.
    let isHere = !request.approving.isEmpty || request.completesInbox
    if isHere || context.options.present != nil { throw failure }
    let directory = configuration.directory
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    let name = Ingestion.fileName(at: context.clock.now())
    try await InboxFolder(directory, naiveZone: zone).handOver(request.input, as: name)
    let place = "\(directory.incoming)/\(name)"
    context.report(place, as: handedOver) {
      "handed over as \(place): \(failure.cause)\n"
    }
    return .done
  }

  static func show(
    _ report: Ingestion.Report, of request: InboxRequest, in context: CommandContext
  ) -> ExitCode {
    for problem in report.problems { context.complain(problem) }
    for rejection in report.rejections { context.complain(rejection) }
    let rest = report.rejected - report.rejections.count
    if rest > 0 {
      context.complain("\(Counted.text(rest, "more line was", "more lines were")) rejected")
    }
    if report.counts.refused > 0 {
      context.complain(
        "\(Counted.text(report.counts.refused, "grant or activity was", "grants or activities were")) refused or held back; see "
          + "rewards ledger export --type refused")
    }
    context.report(report, as: output) {
      "\(Counted.text(report.counts.appended, "record")) appended, "
        + (report.counts.credits == 0 ? "" : "\(Counted.text(report.counts.credits, "credit")), ")
        + "\(Counted.text(report.counts.grants, "grant")), "
        + "\(report.counts.amounts.text(showing: .points, .exp)), "
        + "\(Counted.text(report.rejected, "line")) rejected, "
        + "\(report.lateEvidence) for closed days\n"
    }
    let isClean =
      report.rejected == 0 && report.counts.refused == 0 && report.problems.isEmpty
      && report.lateEvidence == 0
    return isClean ? .done : .attention
  }
}
