import CivilTime
import Configuration
import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Runs one job now.
struct RunCommand: RequestingCommand {
  static let spec = CommandSpec(
    "run", "run one job now, as the service would",
    details: """
      Runs everything of the job that is due and not recorded yet, oldest first. If nothing
      is due, it runs the job once now; with --due it then does nothing. So cron, a systemd
      timer or a Kubernetes CronJob may call rewards run JOB --due as often as they like:
      each run happens once. In a database with several shards, a job that reconciles makes
      two rounds, as rewards reconcile does.
      """,
    arguments: [JobArgument.argument],
    options: [
      .init("due", help: "run only what is due")
    ],
    examples: [
      .init("rewards run nightly-reconciliation", "at once"),
      .init("rewards run jobs/nightly-reconciliation.json --due", "from a timer"),
    ])

  static func needsTwoRounds(_ arguments: ParsedArguments) -> Bool { true }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> RunRequest {
    let (file, bytes) = try JobArgument.read(arguments.arguments[0], in: context)
    return RunRequest(
      bytes, of: file, onlyDue: arguments.has("due"), round: context.round)
  }

  private typealias Run = (fire: JobFire, report: JobReport?)

  private static let output = JSONMembers<SingleRun.Report> {
    $0.add(
      "runs", { $0.runs.map(document) },
      "zone, nominalLocal, nominal, timedOut, and what the command itself would print, or exit, output and errors"
    )
    $0.add("passedOver", \.passedOver, "fires that were skipped or missed")
  }

  static var outputs: [JSONShape] { [output.shape] }

  private static let head = JSONMembers<Run> {
    $0.add("zone", \.fire.zone)
    $0.add("nominalLocal", \.fire.fire.nominalLocal.description)
    $0.add("nominal", \.fire.fire.instant)
    $0.add("timedOut") { $0.report == nil }
  }

  private static let ran = JSONMembers<CommandResult> {
    $0.add("exit") { Int($0.exitCode) }
    $0.add("output") { String(decoding: $0.output, as: UTF8.self) }
    $0.add("errors") { String(decoding: $0.errors, as: UTF8.self) }
  }

  private static func document(_ run: Run) -> JSONText {
    var json = JSONWriter()
    json.beginObject()
    head.write(run, to: &json)
    switch run.report {
    case .reconciled(let report)?: ReconcileText.output.write(report, to: &json)
    case .audited(let report)?: AuditText.output.write(report, to: &json)
    case .proposed(let hidden)?: HiddenDaysText.output.write(hidden, to: &json)
    case .ran(let outcome)?: ran.write(outcome, to: &json)
    case nil: break
    }
    json.endObject()
    return JSONText(text: json.text)
  }

  static func show(
    _ report: SingleRun.Report?, of request: RunRequest, in context: CommandContext
  ) -> ExitCode {
    guard let report else { return .done }
    context.report(report, as: output) {
      text(of: report, context.style)
    }
    if let stillDue = report.stillDue {
      if request.round?.isSecond ?? true {
        context.complain(Failure(describing: stillDue))
      }
      return .tryAgain
    }
    return report.needsAttention ? .attention : .done
  }

  private static func text(of report: SingleRun.Report, _ style: TextStyle) -> String {
    var text = ""
    for (fire, done) in report.runs {
      text += "\(fire.job.name) in \(fire.zone), due \(fire.fire.nominalLocal):\n"
      switch done {
      case .reconciled(let report)?: text += ReconcileText.text(of: report, style)
      case .audited(let report)?: text += AuditText.text(of: report, style)
      case .proposed(let hidden)?: text += HiddenDaysText.text(of: hidden, style)
      case .ran(let outcome)?:
        text += String(decoding: outcome.output + outcome.errors, as: UTF8.self)
        if outcome.exitCode > 1 { text += "ended with \(outcome.exitCode)\n" }
      case nil: text += "stopped after \(fire.job.timeoutSeconds) s\n"
      }
    }
    if report.passedOver > 0 {
      text += "\(Counted.text(report.passedOver, "fire was", "fires were")) skipped or missed\n"
    }
    return text.isEmpty ? "nothing is due, or no zone has users\n" : text
  }
}
