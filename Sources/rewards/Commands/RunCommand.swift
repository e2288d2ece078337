import CivilTime
import Configuration
import Failures
import Operations
import Scheduling
import StrictJSON

/// Runs one job now.
struct RunCommand: RequestingCommand {
  static let spec = CommandSpec(
    "run", "one job now, as the service would",
    details: """
      Runs every fire of the job that is due and not recorded yet, oldest first. When none is due, runs
      it once now; with --due it then does nothing. So cron, a systemd timer or a Kubernetes CronJob may
      call "rewards run JOB.json --due" as often as they like: each fire runs once. A job that reconciles
      goes over several shards of a database twice, as rewards reconcile does.
      """,
    arguments: [.init("JOB.json", help: "the job's file")],
    options: [
      .init("due", help: "run only what is due")
    ],
    examples: [
      .init("rewards run jobs/nightly-reconciliation.json", "at once"),
      .init("rewards run jobs/nightly-reconciliation.json --due", "from a timer"),
    ])

  static func takesTwoRounds(_ arguments: ParsedArguments) -> Bool { true }

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> RunRequest {
    let file = arguments.arguments[0]
    return RunRequest(
      try context.input(file), of: file, onlyDue: arguments.has("due"), round: context.round)
  }

  static func show(
    _ report: SingleRun.Report?, of request: RunRequest, in context: CommandContext
  ) -> ExitCode {
    guard let report else { return .done }
    context.report {
      text(of: report, context.style)
    } json: { json in
      json.objects("runs", report.runs) { json, run in
        json.member("zone", run.fire.zone)
        json.member("nominalLocal", run.fire.fire.nominalLocal.description)
        json.member("nominal", run.fire.fire.instant.description)
        json.member("timedOut", run.report == nil)
        switch run.report {
        case .reconciled(let report)?: ReconcileText.write(report, to: &json)
        case .audited(let report)?: AuditText.write(report, to: &json)
        case .proposed(let hidden)?: HiddenDaysText.write(hidden, to: &json)
        case .ran(let outcome)?:
          json.member("exit", Int(outcome.exitCode))
          json.member("output", String(decoding: outcome.output, as: UTF8.self))
          json.member("errors", String(decoding: outcome.errors, as: UTF8.self))
        case nil: break
        }
      }
      json.member("passedOver", report.passedOver)
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
      case .reconciled(let report)?: text += ReconcileText.text(of: report)
      case .audited(let report)?: text += AuditText.text(of: report, style)
      case .proposed(let hidden)?: text += HiddenDaysText.text(of: hidden)
      case .ran(let outcome)?:
        text += String(decoding: outcome.output + outcome.errors, as: UTF8.self)
        if outcome.exitCode > 1 { text += "ended with \(outcome.exitCode)\n" }
      case nil: text += "stopped after \(fire.job.timeoutSeconds) s\n"
      }
    }
    if report.passedOver > 0 { text += "\(report.passedOver) fires were skipped or missed\n" }
    return text.isEmpty ? "nothing is due, or no zone has users\n" : text
  }
}
