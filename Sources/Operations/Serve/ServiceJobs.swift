import CivilTime
import Ledger
import RewardRules
import Scheduling
import Threading

/// Runs the jobs of a service: finds what is due, runs it, and leaves a record of every fire.
struct ServiceJobs: Sendable {
  private struct State {
    var running: Set<String> = []
    var retryAt: [String: Instant] = [:]
  }

  /// How long after a run that could not be written the next try comes, in seconds.
  private static let retrySeconds: Int64 = 60

  private let workplace: Workplace
  private let board: JobBoard
  private let state = Lock(State())

  init(_ workplace: Workplace, jobs: [Job]) {
    self.workplace = workplace
    board = JobBoard(jobs: jobs)
  }

  /// What is due now: missed fires are recorded at once, the oldest runnable one of each job and zone is returned.
  func takeDue() async throws -> [JobFire] {
    let now = workplace.clock.now()
    var fires: [JobFire] = []
    for job in board.jobs where job.isEnabled {
      for position in await positions(of: job) {
        let key = "\(job.name)|\(position.zone)"
        let isWaiting = state.withLock { state in
          state.running.contains(key) || state.retryAt[key].map { $0 > now } ?? false
        }
        if isWaiting { continue }
        for decision in board.decisions(
          for: job, at: position, zones: workplace.surroundings.zones, now: now)
        {
          switch decision {
          case .miss(let fire): try await noteMissed(fire, now: now)
          case .run(let fire):
            state.withLock { _ = $0.running.insert(key) }
            fires.append(fire)
          }
          if case .run = decision { break }
        }
      }
    }
    return fires
  }

  /// Runs one fire. A run that could not be written is tried again later.
  func run(_ fire: JobFire) async {
    let key = "\(fire.job.name)|\(fire.zone)"
    let log = workplace.surroundings.log
    do {
      let order = try ReconcileOrder(job: fire)
      let report = try await Reconciliation(workplace, order).run()
      log.info(
        "job done",
        [
          "job": .text(fire.job.name), "zone": .text(fire.zone),
          "nominal": .text(fire.fire.nominalLocal.description),
          "closed": .number(report.closed.count), "grants": .number(report.grants),
          "unknown": .number(report.unknown), "waiting": .number(report.waiting.count),
        ])
      for (close, objection) in report.waiting {
        log.error(
          "a close waits for an operator: rewards reconcile --confirm",
          [
            "zone": .text(close.zone), "day": .text(close.window.day.description),
            "objection": .text(objection),
          ])
      }
      state.withLock { _ = $0.running.remove(key) }
    } catch {
      log.error(
        "a job could not be run",
        ["job": .text(fire.job.name), "zone": .text(fire.zone), "cause": .text("\(error)")])
      let retry = workplace.clock.now().adding(seconds: Self.retrySeconds)
      state.withLock { state in
        state.running.remove(key)
        state.retryAt[key] = retry
      }
    }
  }

  /// When the next job is due, nil when none is.
  func nextBegin() async -> Instant? {
    var next: Instant?
    for job in board.jobs where job.isEnabled {
      for position in await positions(of: job) {
        let key = "\(job.name)|\(position.zone)"
        let (isRunning, retry) = state.withLock { ($0.running.contains(key), $0.retryAt[key]) }
        if isRunning { continue }
        guard
          let begin = board.nextBegin(of: job, at: position, zones: workplace.surroundings.zones)
        else { continue }
        let due = max(begin, retry ?? begin)
        next = min(next ?? due, due)
      }
    }
    return next
  }

  private func positions(of job: Job) async -> [JobBoard.Position] {
    await workplace.clerk.read { desk in
      let book = desk.book
      switch job.place {
      case .zone(let zone):
        let begin = book.zonesSince.values.min() ?? book.at
        let after = book.lastRuns["\(job.name)|\(zone)"] ?? begin
        return [JobBoard.Position(zone: zone, after: after)]
      case .eachUserZone:
        return book.zonesSince.sorted { $0.key < $1.key }.map { zone, since in
          let last = book.lastRuns["\(job.name)|\(zone)"] ?? since
          return JobBoard.Position(zone: zone, after: max(last, since))
        }
      }
    }
  }

  private func noteMissed(_ fire: JobFire, now: Instant) async throws {
    try await workplace.clerk.note(
      RunRecord(
        job: fire.job.name, zone: fire.zone, nominal: fire.fire.instant,
        nominalLocal: fire.fire.nominalLocal.description, actual: now.truncatedToMilliseconds,
        outcome: "missed", reason: "more than \(fire.job.catchUpSeconds) s late", counts: []))
  }
}

extension ReconcileOrder {
  /// The order that a job's command line stands for; throws when it is not one that a service carries out.
  init(job fire: JobFire) throws(WorkplaceError) {
    try Self.check(fire.job)
    self.init(
      zones: fire.job.place == .eachUserZone ? [fire.zone] : [],
      run: RunName(
        job: fire.job.name, zone: fire.zone, nominal: fire.fire.instant,
        nominalLocal: fire.fire.nominalLocal.description))
  }

  /// Throws when a job's command line is not one that a service carries out.
  static func check(_ job: Job) throws(WorkplaceError) {
    let words = job.command
    guard words.first == "reconcile",
      words.dropFirst() == ["--day", "yesterday"] || words.count == 1
    else {
      throw WorkplaceError(
        kind: .configuration,
        cause:
          "job \(job.name): \"\(words.joined(separator: " "))\" is nothing that the service runs",
        remedy: "write [\"reconcile\", \"--day\", \"yesterday\"], or disable the job")
    }
  }
}
