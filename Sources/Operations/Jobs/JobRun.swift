import CivilTime
import Ledger
import Scheduling

/// Runs one fire of a job within the job's time limit.
struct JobRun: Sendable {
  let runtime: Runtime
  let fire: JobFire
  /// The plan of the service in which it runs; nil when nothing else polls users.
  var planner: LookPlanner?
  /// Notified when closes wait for other shards; nil where they do not wait.
  var delay: JobDelay?
  /// The time before which counts of other shards are too old.
  var countedSince: Instant?
  /// Whether to close only what all shards have counted since then, without polling.
  var closesCounted = false

  /// How a run ended.
  enum Outcome: Sendable {
    /// It ran to its end, and its record is in the ledger.
    case done(JobReport)
    /// It took too long and was stopped. That is recorded, and what it wrote stays.
    case timedOut
  }

  /// Runs the fire. Throws when the ledger cannot be written or the service stops; then nothing is recorded and the fire is
  /// still due. The caller owns a unit of tracked work.
  func run() async throws -> Outcome {
    let clock = runtime.clock
    let began = clock.now()
    do {
      let action = try JobAction(of: fire.job, runtime.environment.commands)
      let report = try await withTimeout { try await perform(action) }
      if case .reconciled = report { return .done(report) }
      try await runtime.writer.appendOnce(record(of: report, began: began))
      return .done(report)
    } catch is TimedOut {
      // A run that waits for other shards has done its work, so its fire must not be given up.
      if let deferred = delay?.deferred { throw Self.stillDue(deferred) }
      try await runtime.writer.appendOnce(
        fire.record(of: "timeout", "stopped after \(fire.job.timeoutSeconds) s", at: began))
      return .timedOut
    }
  }

  private func perform(_ action: JobAction) async throws -> JobReport {
    switch action {
    // Its record is committed with the last day that it closes.
    case .reconcile(let proves): return .reconciled(try await reconcile(proves: proves))
    case .audit(let sinceLast):
      let stores = try await StoreWitness.read(runtime.configuration, runtime.environment)
      return .audited(
        try await Audit(
          runtime.configuration, runtime.environment, stores: stores, sinceLast: sinceLast
        ).run())
    case .propose:
      return .proposed(
        try await HiddenDays.read(LedgerReading.open(runtime.directory), gapSeconds: 300))
    case .command(let words):
      guard let commands = runtime.environment.commands else { throw CancellationError() }
      return .ran(try checked(await commands.run(words, fire, runtime)))
    case .program(let words):
      return .ran(try checked(await JobProgram(runtime, fire).run(words)))
    }
  }

  /// Throws for the exit code "try again", so that nothing is recorded and the fire is still due.
  private func checked(_ outcome: CommandResult) throws -> CommandResult {
    try Task.checkCancellation()
    guard outcome.exitCode == Self.tryAgain else { return outcome }
    throw RuntimeError(
      kind: .clock, cause: JobReport.ran(outcome).failure ?? "", remedy: "it will be tried again")
  }

  /// The exit code of sysexits.
  private static let tryAgain: Int32 = 75

  private func record(of report: JobReport, began: Instant) -> RunRecord {
    fire.record(of: report.outcome, report.failure, at: began, counts: report.counts)
  }

  private func reconcile(proves: Bool) async throws -> ReconcileReport {
    var order = ReconcileOrder(
      zones: fire.job.place == .eachUserZone ? [fire.zone] : [], proves: proves,
      run: ReconcileOrder.RunName(
        job: fire.job.name, zone: fire.zone, nominal: fire.fire.instant,
        nominalLocal: fire.fire.nominalLocal.description,
        schedule: fire.job.schedule.expression))
    order.planner = planner
    if let delay { order.whenDelayed = { delay.note($0) } }
    order.closesCounted = closesCounted
    order.countedSince = countedSince
    let report = try await Reconciliation(runtime, order).run()
    if let deferred = report.deferred.first { throw Self.stillDue(deferred) }
    if let doubt = report.clockDoubt {
      throw RuntimeError(kind: .clock, cause: doubt, remedy: RuntimeError.clockRemedy)
    }
    return report
  }

  private static func stillDue(_ deferred: DeferredClose) -> RuntimeError {
    RuntimeError(
      kind: .shards, cause: deferred.text, remedy: "reconcile those shards too, and try again")
  }

  private struct TimedOut: Error {}

  private func withTimeout(
    _ work: @escaping @Sendable () async throws -> JobReport
  ) async throws -> JobReport {
    let clock = runtime.clock
    let seconds = Double(fire.job.timeoutSeconds)
    return try await withThrowingTaskGroup(of: JobReport?.self) { group in
      // One unit of tracked work for each child. This task lends its own unit while it waits, and the first child returns it.
      for child in 0..<2 {
        clock.beginWork()
        group.addTask {
          if child == 0 { return try await work() }
          try await clock.sleep(seconds: seconds)
          return nil
        }
      }
      clock.endWork()
      let first = await group.nextResult()
      group.cancelAll()
      clock.endWork()
      let second = await group.nextResult()
      // The work may have finished and left its record just as the time ran out.
      for result in [first, second] {
        if case .success(let report?) = result { return report }
      }
      if case .failure(let error) = first { throw error }
      throw TimedOut()
    }
  }
}
