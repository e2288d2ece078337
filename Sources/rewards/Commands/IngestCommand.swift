import CivilTime
import Configuration
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Takes activities that no route of the API tells.
struct IngestCommand: Command {
  static let spec = CommandSpec(
    "ingest", "take in activities from a file or standard input",
    details: """
      One JSON object per line: {"user","kind","at","id"?},
      {"user","kind":"credit","at","exp"?,"items"?,"id"?} or {"completeThrough": INSTANT}.
      Duplicates are fine. Bad lines are set aside with the reason; the good ones are judged at once.
      """,
    arguments: [
      .init("FILE", help: "the lines, - for standard input")
    ],
    examples: [
      .init("rewards ingest logins.jsonl", "from a file"),
      .init(
        "echo '{\"user\":\"4711\",\"kind\":\"login\",\"at\":\"2026-11-20T08:00:00Z\"}' | rewards ingest -",
        "one login"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let text = try context.input(arguments.arguments[0])
    let name = IngestCommand.fileName(at: context)
    if let hosted = context.environment.hosted {
      let report = try await Ingestion(hosted).run(text, name: name)
      return show(report, name: name, in: context, hosted.directory)
    }
    let runtime: Runtime
    do {
      runtime = try await Runtime.open(
        configuration, context.runtimeEnvironment("rewards ingest"))
    } catch let error as LedgerError where error.kind == .locked {
      return try await handOver(text, as: name, configuration, in: context, holder: error)
    }
    do {
      try await runtime.checkClock(isConfirmed: context.options.present != nil)
      try await runtime.putRulesIntoUse()
      let report = try await Ingestion(runtime).run(text, name: name)
      await runtime.close()
      return show(report, name: name, in: context, DataDirectory(configuration.data))
    } catch {
      await runtime.close()
      throw error
    }
  }

  /// A name that no other file of the inbox has, in the order of arrival.
  private static func fileName(at context: CommandContext) -> String {
    let random = RandomBytes.make(4).map { String($0, radix: 16) }.joined(separator: "-")
    return "\(context.clock.now().seconds)-\(random).jsonl"
  }

  /// While a service holds the ledger, it takes the lines from the inbox.
  private static func handOver(
    _ text: [UInt8], as name: String, _ configuration: Configuration, in context: CommandContext,
    holder: LedgerError
  ) async throws -> ExitCode {
    try context.requireMachineClock()
    let directory = DataDirectory(configuration.data)
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    try await InboxFolder(directory, naiveZone: zone).handOver(text, as: name)
    context.report {
      "handed over as \(directory.incoming)/\(name): \(holder.cause)\n"
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
