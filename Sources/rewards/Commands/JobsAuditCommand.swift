import CivilTime
import Configuration
import Described
import Failures
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Compares the runs that were due with those that happened.
struct JobsAuditCommand: Command {
  static let spec = CommandSpec(
    "jobs audit", "compare the job runs that were due with those that happened", isPaged: true,
    details: """
      On time: the run began within 5 minutes of its time, jitter included. Late: within an
      hour. Caught up: later. Exits 1 if a run was missed, failed or was recorded twice.
      """,
    options: RangeOptions.instants(
      from: "runs due at or after this instant or day (default: the ledger's beginning)",
      to: "runs due before this instant, or through this day (default: now)"),
    examples: [
      .init("rewards jobs audit", "everything since the jobs began"),
      .init("rewards jobs audit --from yesterday", "since yesterday began"),
      .init("rewards jobs audit --month 2026-11 --format json", "a month, for another program"),
    ])

  private static let output = JSONMembers<
    (
      examined: Int, counts: [(verdict: JobAudit.Verdict, count: Int)], fires: [JobAudit.Finding]
    )
  > {
    $0.add("examined", \.examined)
    $0.map("counts") { $0.counts.map { ($0.verdict.rawValue, $0.count) } }
    $0.list("fires", \.fires) {
      $0.add("job", \.fire.job.name)
      $0.add("zone", \.fire.zone)
      $0.add("nominalLocal", \.fire.fire.nominalLocal.description)
      $0.add("nominal", \.fire.fire.instant)
      $0.add("actual", \.actual)
      $0.add("verdict", \.verdict.rawValue)
      $0.add("reason", \.reason)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let (from, to) = try InstantArgument.range(arguments)
    let jobs = try JobFolder.read(configuration, zones: context.zones)
    let ledger = try await LedgerReading.open(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let audit = try await JobAudit.read(
      ledger, jobs: jobs, zones: context.zones, now: context.present)
    let findings = audit.findings(from: from ?? .earliest, to: to ?? .latest)
    let counts = JobAudit.Verdict.allCases.map { verdict in
      (verdict: verdict, count: findings.count { $0.verdict == verdict })
    }
    let notable = findings.filter { $0.verdict != .onTime }
    context.report((findings.count, counts, notable), as: output) {
      text(counts, notable, context.style)
    }
    let bad: Set<JobAudit.Verdict> = [.missed, .failed, .doubled]
    return findings.contains { bad.contains($0.verdict) } ? .attention : .done
  }

  private static func text(
    _ counts: [(verdict: JobAudit.Verdict, count: Int)], _ notable: [JobAudit.Finding],
    _ style: TextStyle
  ) -> String {
    var text = ""
    if !notable.isEmpty {
      var table = TextTable(["JOB", "ZONE", "DUE", "BEGAN", "VERDICT", "REASON"], last: .prose)
      for finding in notable {
        table.add([
          finding.fire.job.name, finding.fire.zone, finding.fire.fire.nominalLocal.description,
          finding.actual?.description ?? "-", finding.verdict.rawValue, finding.reason ?? "-",
        ])
      }
      text = table.text(style)
    }
    let sums = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.verdict.rawValue)" }
    return text + (sums.isEmpty ? "no run was due" : sums.joined(separator: ", ")) + "\n"
  }
}
