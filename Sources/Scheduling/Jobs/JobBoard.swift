public import CivilTime
import Ledger

/// Decides what is to be done about the fires of jobs. A pure function of the jobs and of what is recorded.
///
/// Each fire is met exactly once: the walk goes on from the last recorded one of the job and zone, and every decision
/// leaves a record.
public struct JobBoard: Sendable {
  /// The jobs, disabled ones included.
  public let jobs: [Job]

  /// Creates a board of jobs.
  public init(jobs: [Job]) { self.jobs = jobs }

  /// What is due at `now` for one job in one zone, oldest first, at most `limit` decisions; the rest comes later.
  ///
  /// A zone that is unknown has no fires: its users are reported elsewhere. Of a job without any record only what lies
  /// within its catch-up is due: it may be new.
  public func decisions(
    for job: Job, at position: JobPosition, zones: any ZoneSource, now: Instant, limit: Int = 1_000
  ) -> [JobDecision] {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone) else { return [] }
    var decisions: [JobDecision] = []
    var next = position.next(of: job, in: zone, now: now)
    while let fire = next, decisions.count < limit {
      let begin = job.begin(of: fire, in: zone)
      if begin > now { break }
      next = job.nextFire(after: fire, in: zone)
      let due = JobFire(job: job, zone: position.zone, fire: fire, begin: begin)
      let isTooLate = now.seconds(since: fire.instant) > job.catchUpSeconds
      decisions.append(decision(about: due, at: position, isTooLate: isTooLate))
    }
    if job.catchesUpOnce { runOnlyTheLast(&decisions) }
    return decisions
  }

  /// Why a fire is not run for which another one stands.
  public static let runByALater = "a later run is for all that was missed"

  /// One run stands for all that were missed.
  private func runOnlyTheLast(_ decisions: inout [JobDecision]) {
    var isOver = false
    for index in decisions.indices.reversed() {
      guard case .run(let due) = decisions[index] else { continue }
      if isOver { decisions[index] = .skip(due, reason: Self.runByALater) }
      isOver = true
    }
  }

  private func decision(
    about due: JobFire, at position: JobPosition, isTooLate: Bool
  ) -> JobDecision {
    if let pause = position.pause {
      return .skip(due, reason: "paused by \(pause.actor): \(pause.reason)")
    }
    if isTooLate {
      return .miss(due, reason: "not run within \(due.job.catchUpSeconds) s of its time")
    }
    if due.job.overlap == .skip, let busy = position.busy, busy.from < due.begin,
      due.begin <= busy.to
    {
      return .skip(due, reason: "overlap: the run before went on until \(busy.to)")
    }
    return .run(due)
  }

  /// When a job begins next in one zone after what is recorded; nil when never.
  public func nextFire(
    of job: Job, at position: JobPosition, zones: any ZoneSource, now: Instant
  ) -> JobFire? {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone),
      let fire = position.next(of: job, in: zone, now: now)
    else { return nil }
    return JobFire(
      job: job, zone: position.zone, fire: fire,
      begin: job.begin(of: fire, in: zone))
  }
}
