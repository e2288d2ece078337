package import CivilTime
package import Scheduling

/// Runs one job outside a service, as the service would: for cron, systemd timers or a Kubernetes CronJob.
package struct SingleRun: Sendable {
  /// The result for the job.
  package struct Report: Sendable {
    /// The fires that were run, with their results; a nil report means that the fire timed out.
    package internal(set) var runs: [(fire: JobFire, report: JobReport?)] = []
    /// The number of fires recorded as skipped or missed.
    package internal(set) var passedOver = 0
    /// The reason a fire is still due: a close waits for other shards.
    package internal(set) var stillDue: RuntimeError?

    /// Whether it needs attention.
    package var needsAttention: Bool {
      passedOver > 0 || runs.contains { $0.report?.needsAttention ?? true }
    }
  }

  private let runtime: Runtime
  private let job: Job
  private let countedSince: Instant?
  private let closesCounted: Bool

  /// Creates a run of `job` for a runtime; throws when this version cannot run its command line. Counts of other shards
  /// from before `countedSince` are too old. With `closesCounted` it only closes what all shards have counted since
  /// then.
  package init(
    _ runtime: Runtime, _ job: Job, countedSince: Instant? = nil, closesCounted: Bool = false
  ) throws {
    _ = try JobAction(of: job, runtime.environment.commands)
    self.runtime = runtime
    self.job = job
    self.countedSince = countedSince
    self.closesCounted = closesCounted
  }

  /// Runs every due fire, oldest first.
  ///
  /// When none is due and `onlyDue` is false, runs the job once now in each of its zones, named after the fire that
  /// only its jitter delays, or else with the present as nominal time. The caller owns a unit of tracked work.
  package func run(onlyDue: Bool) async throws -> Report {
    var report = Report()
    if closesCounted {
      guard case .reconcile = try JobAction(of: job, runtime.environment.commands) else {
        return report
      }
    }
    let board = JobBoard(jobs: [job])
    let zones = runtime.environment.zones
    let now = runtime.clock.certain()
    let positions = await runtime.writer.positions(of: job)
    if job.isEnabled, onlyDue {
      try await runtime.writer.appendBeginnings(of: job, at: positions, zones)
    }
    for position in positions {
      for decision in board.decisions(for: job, at: position, zones: zones, now: now) {
        switch decision {
        case .run(let fire): try await run(fire, into: &report)
        case .skip(let fire, let reason), .miss(let fire, let reason):
          try await runtime.writer.appendOnce(fire.record(of: decision.outcome, reason, at: now))
          report.passedOver += 1
        }
      }
    }
    if report.runs.isEmpty, report.passedOver == 0, report.stillDue == nil, !onlyDue {
      try await runNow(into: &report)
    }
    return report
  }

  private func runNow(into report: inout Report) async throws {
    let now = runtime.clock.now().truncatedToMilliseconds
    let board = JobBoard(jobs: [job])
    let zones = runtime.environment.zones
    for position in await runtime.writer.positions(of: job) {
      // A fire delayed only by its jitter becomes this run; otherwise it would be skipped after a later run.
      if let next = board.nextFire(of: job, at: position, zones: zones, now: now),
        next.fire.instant <= now
      {
        try await run(next, into: &report)
        continue
      }
      let zone = try zones.zone(named: position.zone)
      let fire = Fire(instant: now, nominalLocal: zone.localDateTime(at: now))
      try await run(JobFire(job: job, zone: position.zone, fire: fire, begin: now), into: &report)
    }
  }

  private func run(_ fire: JobFire, into report: inout Report) async throws {
    do {
      switch try await JobRun(
        runtime: runtime, fire: fire, countedSince: countedSince, closesCounted: closesCounted
      ).run() {
      case .done(let done): report.runs.append((fire, done))
      case .timedOut: report.runs.append((fire, nil))
      }
    } catch let error as RuntimeError where error.kind == .shards {
      report.stillDue = report.stillDue ?? error
    }
  }
}
