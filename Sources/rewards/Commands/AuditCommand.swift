import CivilTime
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
    ],
    examples: [
      .init("rewards audit", "everything"),
      .init(
        "rewards audit --balances shop.jsonl --format json", "also against the shop's balances"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let days = try DayArgument.range(arguments)
    let outside = try arguments.value("balances").map { try balances($0, in: context) }
    let report = try await Audit(
      configuration, context.workplaceSurroundings("rewards audit"), days: days, outside: outside
    ).run()
    context.report {
      AuditText.text(of: report, context.style)
    } json: { json in
      AuditText.write(report, to: &json)
    }
    return report.passed ? .done : .attention
  }

  private static func balances(
    _ file: String, in context: CommandContext
  ) throws -> [OutsideBalance] {
    let text = try context.input(file)
    do throws(OutsideBalance.Problem) {
      return try OutsideBalance.read(text)
    } catch {
      throw CommandFailure(.badData, error.cause, place: "\(file), line \(error.line)")
    }
  }
}
