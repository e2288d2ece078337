import AuditPage
import AuditReport
import CivilTime
import Files
import Operations
import StrictJSON

/// Checks everything that can be checked.
struct AuditCommand: Command {
  static let spec = CommandSpec(
    "audit", "prove that every grant is right; exits 1 when something is found",
    details: """
      Seals, schema, keys; every grant of a closed day derived again from evidence and rules; streaks,
      levels, draws; close sums, adjustments, deliveries, job runs, snapshots, outliers; and with
      --balances what another system believes that users have. Changes nothing, and may run beside a
      service. --from and --to are user-local days: findings about other days do not count.
      """,
    options: [
      .init("from", "DAY", help: "the first day"),
      .init("to", "DAY", help: "the last day"),
      .init(
        "balances", "FILE", help: "JSON lines {\"user\",\"points\"?,\"exp\"?,\"coins\"?} to compare"
      ),
      .init("html", "FILE", help: "also write a page with figures, plots and all findings"),
    ],
    examples: [
      .init("rewards audit", "everything"),
      .init("rewards audit --html audit.html", "with a page to look at"),
      .init(
        "rewards audit --balances shop.jsonl --format json", "also against the shop's balances"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let context = try await context.inTimeOfLedger(configuration)
    let days = try DayArgument.range(arguments)
    let outside = try BalancesArgument.read(arguments, in: context)
    let audit = Audit(
      configuration, context.runtimeEnvironment("rewards audit"), days: days, outside: outside)
    let report: AuditReport
    if let file = arguments.value("html") {
      let outcome = try await audit.runForPage()
      try write(AuditPage(outcome), to: file)
      report = outcome.report
    } else {
      report = try await audit.run()
    }
    context.report {
      AuditText.text(of: report, context.style)
    } json: { json in
      AuditText.write(report, to: &json)
    }
    return report.needsAttention ? .attention : .done
  }

  private static func write(_ page: AuditPage, to file: String) throws {
    var bytes: [UInt8] = []
    page.write { bytes += $0 }
    do throws(ReadError) {
      try WholeFile.write(bytes, to: file)
    } catch {
      throw CommandFailure(.cannotCreate, error.what, place: error.path)
    }
  }
}
