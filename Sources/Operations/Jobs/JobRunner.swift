import AuditPage
import CivilTime
import Foundations
import Ledger
import Scheduling

/// Runs the jobs of a service: finds what is due, runs it, and records every fire.
struct JobRunner: Sendable {
  private struct State {
    var running: Set<JobKey> = []
    var busy: [JobKey: JobPosition.Span] = [:]
    var retryAt: [JobKey: Instant] = [:]
    /// The last logged cause of each fire that is being retried.
    var causes: [JobKey: String] = [:]
    /// The waits of fires that are still due.
    var delays: [JobKey: JobDelay] = [:]
    var board: JobBoard
    /// The cached result of ``nextBegin()``, valid until the ledger or the running jobs change.
    var plan: (epoch: UInt64, next: Instant?)?
  }

  /// The delay before retrying a run that could not be written, in seconds.
  private static let retrySeconds: Int64 = 60

  private let runtime: Runtime
  private let troubles: Troubles?
  private let state: Lock<State>

  init(_ runtime: Runtime, jobs: [Job], troubles: Troubles? = nil) {
    self.runtime = runtime
    self.troubles = troubles
    state = Lock(State(board: JobBoard(jobs: jobs)))
  }

  /// Returns the fires to run now, the oldest of each job and zone; records earlier skipped and missed fires at once.
  ///
  /// A fire that cannot be recorded holds back only its own job and zone, until a retry.
  func claimDueFires() async -> (fires: [JobFire], failure: (any Error)?) {
    // A fire is due only when its time has certainly come, because its record cannot be taken back.
    let now = runtime.clock.certain()
    if let next = await nextBegin() {
      if next > now { return ([], nil) }
    } else {
      return ([], nil)
    }
    state.withLock { $0.plan = nil }
    var fires: [JobFire] = []
    var failure: (any Error)?
    for job in board.jobs where job.isEnabled {
      for position in await freePositions(of: job, now: now) {
        do {
          if let fire = try await claimDueFire(of: job, at: position, now: now) {
            fires.append(fire)
          }
        } catch {
          failure = error
          let retry = now.adding(seconds: Self.retrySeconds)
          let key = JobKey(job: job.name, zone: position.zone)
          state.withLock { $0.retryAt[key] = retry }
        }
      }
    }
    return (fires, failure)
  }

  /// Forgets all retries, because the clock has been set back.
  func forgetRetries() {
    state.withLock { state in
      state.retryAt = [:]
      state.plan = nil
    }
  }

  /// Switches to other jobs; what is running is finished.
  func replaceJobs(with jobs: [Job]) {
    state.withLock { state in
      state.board = JobBoard(jobs: jobs)
      state.plan = nil
    }
  }

  private var board: JobBoard { state.withLock { $0.board } }

  /// Runs a fire that ``claimDueFires()`` returned. Retries it later when it could not be written.
  func run(_ fire: JobFire) async {
    let began = runtime.clock.now()
    let log = runtime.environment.log
    var retry: Instant?
    do {
      switch try await JobRun(
        runtime: runtime, fire: fire, planner: LookPlanner(runtime.configuration),
        delay: delay(of: fire)
      ).run() {
      case .done(let report):
        state.withLock { $0.delays[fire.key] = nil }
        logReport(report, of: fire)
      case .timedOut:
        log.error(
          "a job took too long and was stopped",
          ["job": .text(fire.job.name), "zone": .text(fire.zone)])
      }
    } catch is CancellationError {
      log.info(
        "a job was stopped with the service; it is still due",
        ["job": .text(fire.job.name), "zone": .text(fire.zone)])
    } catch {
      let cause = "\(error)"
      // Log it once, not at every retry.
      if state.withLock({ $0.causes.updateValue(cause, forKey: fire.key) }) != cause {
        log.error(
          "a job could not be run; it is still due",
          ["job": .text(fire.job.name), "zone": .text(fire.zone), "cause": .text(cause)])
      }
      retry = runtime.clock.now().adding(seconds: Self.retrySeconds)
    }
    let ended = runtime.clock.now()
    state.withLock { [retry] state in
      state.plan = nil
      state.running.remove(fire.key)
      state.retryAt[fire.key] = retry
      if retry == nil { state.causes[fire.key] = nil }
      state.busy[fire.key] = JobPosition.Span(from: began, to: ended)
    }
  }

  /// Returns when the next job begins; nil when none does.
  func nextBegin() async -> Instant? {
    let epoch = await runtime.writer.read { $0.ledger.jobs.epoch }
    if let plan = state.withLock({ $0.plan }), plan.epoch == epoch { return plan.next }
    let next = await computeNextBegin()
    state.withLock { $0.plan = (epoch, next) }
    return next
  }

  private func computeNextBegin() async -> Instant? {
    var next: Instant?
    for job in board.jobs where job.isEnabled {
      for position in await runtime.writer.positions(of: job) {
        let zones = runtime.environment.zones
        let now = runtime.clock.certain()
        guard let fire = board.nextFire(of: job, at: position, zones: zones, now: now) else {
          continue
        }
        let due = state.withLock { state -> Instant? in
          if state.running.contains(fire.key) { return nil }
          // A new job is recorded at once.
          let begin = position.isNew ? now : fire.begin
          return max(begin, state.retryAt[fire.key] ?? begin)
        }
        if let due { next = min(next ?? due, due) }
      }
    }
    return next
  }

  /// Returns the positions of a job where nothing is running and no retry is pending.
  private func freePositions(of job: Job, now: Instant) async -> [JobPosition] {
    await runtime.writer.positions(of: job).compactMap { position in
      let key = JobKey(job: job.name, zone: position.zone)
      return state.withLock { state in
        if state.running.contains(key) || state.retryAt[key].map({ $0 > now }) ?? false {
          return nil
        }
        var position = position
        position.busy = state.busy[key]
        return position
      }
    }
  }

  private func claimDueFire(of job: Job, at position: JobPosition, now: Instant) async throws
    -> JobFire?
  {
    let zones = runtime.environment.zones
    if position.isNew {
      // In all its zones at once, because a record in one zone makes the job known in all.
      let positions = await runtime.writer.positions(of: job)
      try await runtime.writer.appendBeginnings(of: job, at: positions, zones)
      return nil
    }
    for decision in board.decisions(for: job, at: position, zones: zones, now: now) {
      switch decision {
      case .run(let fire):
        state.withLock { _ = $0.running.insert(fire.key) }
        return fire
      case .skip(let fire, let reason), .miss(let fire, let reason):
        try await record(fire, decision.outcome, reason, now: now)
      }
    }
    return nil
  }

  private func record(
    _ fire: JobFire, _ outcome: String, _ reason: String, now: Instant
  ) async throws {
    runtime.environment.log.warning(
      "a run was \(outcome)",
      [
        "job": .text(fire.job.name), "zone": .text(fire.zone),
        "nominal": .text(fire.fire.nominalLocal.description), "reason": .text(reason),
      ])
    try await runtime.writer.appendOnce(fire.record(of: outcome, reason, at: now))
  }

  private func delay(of fire: JobFire) -> JobDelay {
    state.withLock { state in
      let delay = state.delays[fire.key] ?? JobDelay(runtime, troubles)
      state.delays[fire.key] = delay
      return delay
    }
  }

  /// Logs the end of the output of a command or program.
  private func logOutput(_ outcome: CommandResult, of fire: JobFire) {
    let said = String(decoding: (outcome.output + outcome.errors).suffix(2_000), as: UTF8.self)
    if said.isEmpty { return }
    runtime.environment.log.info(
      "a job printed", ["job": .text(fire.job.name), "text": .text(said)])
  }

  private func logReport(_ report: JobReport, of fire: JobFire) {
    let log = runtime.environment.log
    guard case .reconciled(let report) = report else {
      let counts = report.counts.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
      let fields: KeyValuePairs<String, LogValue> = [
        "job": .text(fire.job.name), "zone": .text(fire.zone), "counts": .text(counts),
      ]
      if case .ran(let outcome) = report { logOutput(outcome, of: fire) }
      if let failure = report.failure {
        log.error(
          "a job failed",
          ["job": .text(fire.job.name), "zone": .text(fire.zone), "cause": .text(failure)])
      } else if report.needsAttention {
        log.warning("a job found something that needs attention", fields)
      } else {
        log.info("job done", fields)
      }
      return
    }
    log.info(
      "job done",
      [
        "job": .text(fire.job.name), "zone": .text(fire.zone),
        "nominal": .text(fire.fire.nominalLocal.description),
        "closed": .number(report.closed.count), "grants": .number(report.counts.grants),
        "unknown": .number(report.unknown), "waiting": .number(report.waiting.count),
      ])
    if let count = report.secondRun, count > 0 {
      log.error(
        "the proof failed: a second run would append records",
        [
          "job": .text(fire.job.name), "zone": .text(fire.zone), "records": .number(count),
        ])
    }
    for (close, objection) in report.waiting {
      troubles?.begin(.guarded, of: "\(close.place)", reason: objection)
      log.error(
        "a close waits for an operator: rewards reconcile --confirm",
        [
          "zone": .text(close.zone), "day": .text(close.window.day.description),
          "objection": .text(objection),
        ])
    }
  }
}
