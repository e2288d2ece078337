import CivilTime
import Ledger
import Scheduling

/// Runs one fire of a job, within the time that the job allows.
struct JobRun: Sendable {
  let runtime: Runtime
  let fire: JobFire
  /// The plan of the service within which it runs; nil where nobody else looks at users.
  var planner: LookPlanner?
  /// Told when closes wait for other shards; nil where they do not wait.
  var delay: JobDelay?
  /// Counts of other shards from before this are too old.
  var countedSince: Instant?
  /// Close only what all shards have counted since then, and look at nobody.
  var closesCounted = false

  /// How a run ended.
  enum Outcome: Sendable {
    /// It came to its end; its record is in the ledger.
    case done(JobReport)
    /// It took too long and was stopped; that is recorded, and what it wrote stays.
    case timedOut
  }

  /// Runs it. Throws when the ledger cannot be written or the service stops: nothing is recorded then, and the fire is
  /// still due. The caller owns a unit of tracked work.
  func run() async throws -> Outcome {
    let clock = runtime.clock
    let began = clock.now()
    do {
      let action = try JobAction(of: fire.job, runtime.environment.commands)
      let report = try await withTimeout { try await perform(action) }
      if case .reconciled = report { return .done(report) }
      try await runtime.writer.noteOnce(record(of: report, began: began))
      return .done(report)
    } catch is TimedOut {
      // What waits for others has done its work: the fire is not to be given up.
      if let deferred = delay?.deferred { throw Self.stillDue(deferred) }
      try await runtime.writer.noteOnce(
        fire.record(of: "timeout", "stopped after \(fire.job.timeoutSeconds) s", at: began))
      return .timedOut
    }
  }

  private func perform(_ action: JobAction) async throws -> JobReport {
    switch action {
    // Its record is committed with the last day that it closes.
    case .reconcile(let proves): return .reconciled(try await reconcile(proves: proves))
    case .audit(let sinceLast):
      return .audited(
        try await Audit(runtime.configuration, runtime.environment, sinceLast: sinceLast).run())
    case .propose: return .proposed(try await HiddenDays.read(runtime.directory, gapSeconds: 300))
    case .command(let words):
      guard let commands = runtime.environment.commands else { throw CancellationError() }
      return .ran(try checked(await commands.run(words, runtime)))
    case .program(let words):
      return .ran(try checked(await JobProgram(runtime, fire).run(words)))
    }
  }

  /// What says "try again" is not recorded: the fire is still due.
  private func checked(_ outcome: JobCommands.Outcome) throws -> JobCommands.Outcome {
    try Task.checkCancellation()
    guard outcome.exitCode == Self.tryAgain else { return outcome }
    throw RuntimeError(
      kind: .clock, cause: JobReport.ran(outcome).failure ?? "", remedy: "it is tried again")
  }

  /// As in sysexits.
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
    RuntimeError(kind: .shards, cause: deferred.text, remedy: "reconcile there too, and try again")
  }

  private struct TimedOut: Error {}

  private func withTimeout(
    _ work: @escaping @Sendable () async throws -> JobReport
  ) async throws -> JobReport {
    let clock = runtime.clock
    let seconds = Double(fire.job.timeoutSeconds)
    return try await withThrowingTaskGroup(of: JobReport?.self) { group in
      // A unit of tracked work for each child; this task's own is lent while it waits, and comes back from the first.
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
      // The work may have come to its end, and left its record, just as the time was over.
      for result in [first, second] {
        if case .success(let report?) = result { return report }
      }
      if case .failure(let error) = first { throw error }
      throw TimedOut()
    }
  }
}
