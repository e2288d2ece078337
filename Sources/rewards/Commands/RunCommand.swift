import CivilTime
import Configuration
import Failures
import Operations
import Scheduling
import StrictJSON

/// Runs one job now.
struct RunCommand: WritingCommand {
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
      .init("due", help: "run only what is due"), CountedArgument.flag, CountedArgument.since,
    ],
    examples: [
      .init("rewards run jobs/nightly-reconciliation.json", "at once"),
      .init("rewards run jobs/nightly-reconciliation.json --due", "from a timer"),
    ])

  static func inputName(_ arguments: ParsedArguments) -> String? { arguments.arguments[0] }

  /// It may start a program: a service does that for nobody from elsewhere.
  static func isForwarded(_ arguments: ParsedArguments) -> Bool { false }

  static func takesTwoRounds(_ arguments: ParsedArguments) -> Bool {
    CountedArgument.isLeftOut(arguments)
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at runtime: Runtime
  ) async throws -> ExitCode {
    let name = arguments.arguments[0]
    let job: Job
    switch JobFile.parse(try context.input(name), zones: context.zones) {
    case .success(let parsed): job = parsed.waiting(for: runtime.configuration)
    case .failure(let problems):
      throw Failure(.badData, problems: problems.problems.map { "\(name), \($0)" })
    }
    if job.isProgram, let share = runtime.configuration.share, share.number > 0 {
      // Other programs know nothing of shards: the first ledger's run is the one.
      return .done
    }
    let since = try CountedArgument.parse(arguments, at: runtime)
    let single = try SingleRun(
      runtime, job, countedSince: since, closesCounted: arguments.has("counted"))
    // Others must not wait for a shard that has nothing to run.
    try await runtime.tellShards()
    let report = try await single.run(onlyDue: arguments.has("due"))
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
      if !CountedArgument.hasSecondRound(arguments) {
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
