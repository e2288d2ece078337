import CivilTime
import Configuration
import Failures
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Takes activities that no route of the API tells.
struct IngestCommand: WritingCommand {
  static let spec = CommandSpec(
    "ingest", "take in activities from a file or standard input",
    details: """
      One JSON object per line: {"user","kind","at","id"?},
      {"user","kind":"credit","at","exp"?,"items"?,"id"?} or {"completeThrough": INSTANT}.
      Duplicates are fine. Bad lines are set aside with the reason; the good ones are judged at once. While a
      service holds the ledger it does the work, with the same answer and exit code.

      A credit of more than approval.expPerCredit (1,000) exp is set aside and recorded: somebody else hands
      the same line in again with --approve ID.

      After rewards ledger restore the inbox proves nothing, and days stay unknown, until all that it was
      told since the backup is handed in again with --after-restore; an empty file says that it was nothing.
      Lines that are known add nothing.
      """,
    arguments: [
      .init("FILE", help: "the lines, - for standard input")
    ],
    options: [
      ActorArgument.option,
      .init("approve", "ID", repeats: true, help: "take a credit that somebody else has asked for"),
      .init(
        "after-restore", help: "with this the inbox is complete again since the backup was made"),
    ],
    examples: [
      .init("rewards ingest logins.jsonl", "from a file"),
      .init(
        "echo '{\"user\":\"4711\",\"kind\":\"login\",\"at\":\"2026-11-20T08:00:00Z\"}' | rewards ingest -",
        "one login"),
    ])

  static func inputName(_ arguments: ParsedArguments) -> String? { arguments.arguments[0] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let text = try context.input(arguments.arguments[0])
    var sender = InboxIntake.Sender(actor: context.environment.account)
    sender.approved = Set(arguments.values("approve"))
    if !sender.approved.isEmpty || arguments.has("actor") {
      sender.actor = try ActorArgument.parse(arguments, in: context, runtime.configuration)
    }
    let name = IngestCommand.fileName(at: context)
    let report = try await Ingestion(runtime).run(
      text, name: name, from: sender, completes: arguments.has("after-restore"))
    return show(report, name: name, in: context, runtime.directory)
  }

  /// A name that no other file of the inbox has, in the order of arrival.
  static func fileName(at context: CommandContext) -> String {
    "\(context.clock.now().seconds)-\(RandomBytes.name(4)).jsonl"
  }

  /// Whoever reads the inbox next takes the lines. A service that has taken them in already finds nothing new in them.
  static func runElsewhere(
    _ input: [UInt8], in context: CommandContext, _ configuration: Configuration,
    because failure: Failure
  ) async throws -> ExitCode {
    // Whoever takes the lines has a present of its own. Who approves must be known, and what completes the inbox must be in it.
    let isHere = context.words.contains { $0.hasPrefix("--approve") || $0 == "--after-restore" }
    if isHere || context.options.present != nil { throw failure }
    let directory = configuration.directory
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    let name = fileName(at: context)
    try await InboxFolder(directory, naiveZone: zone).handOver(input, as: name)
    context.report {
      "handed over as \(directory.incoming)/\(name): \(failure.cause)\n"
    } json: { json in
      json.member("handedOver", "\(directory.incoming)/\(name)")
    }
    return .done
  }

  private static func show(
    _ report: Ingestion.Report, name: String, in context: CommandContext, _ directory: DataDirectory
  ) -> ExitCode {
    for problem in report.problems { context.complain(problem) }
    if report.rejected > 0 {
      context.complain("\(report.rejected) lines were rejected; see \(directory.rejected)/\(name)")
    }
    if report.counts.refused > 0 {
      context.complain(
        "\(report.counts.refused) grants or activities were refused or held back; see "
          + "rewards ledger export --type refused")
    }
    context.report {
      "\(report.counts.appended) records appended, \(report.counts.grants) grants, \(report.counts.points) points, "
        + "\(report.counts.exp) exp, \(report.rejected) lines rejected, "
        + "\(report.lateEvidence) for closed days\n"
    } json: { json in
      json.member("appended", report.counts.appended)
      json.member("grants", report.counts.grants)
      json.member("points", report.counts.points)
      json.member("exp", report.counts.exp)
      json.member("rejected", report.rejected)
      json.member("lateEvidence", report.lateEvidence)
    }
    let isClean =
      report.rejected == 0 && report.counts.refused == 0 && report.problems.isEmpty
      && report.lateEvidence == 0
    return isClean ? .done : .attention
  }
}
