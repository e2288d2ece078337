package import CivilTime
import Ledger

/// Decides what to do about the fires of jobs. A pure function of the jobs and the records.
///
/// Each fire is handled exactly once: the walk continues from the last recorded fire of the job and zone, and every
/// decision leaves a record.
package struct JobBoard: Sendable {
  /// The jobs, including disabled ones.
  package let jobs: [Job]

  /// Creates a board of these jobs.
  package init(jobs: [Job]) { self.jobs = jobs }

  /// Returns what is due at `now` for one job in one zone, oldest first, at most `limit` decisions; the rest follows later.
  ///
  /// An unknown zone has no fires; its users are reported elsewhere. For a job without any record, which may be new,
  /// only fires within its catch-up are due.
  package func decisions(
    for job: Job, at position: JobPosition, zones: any ZoneSource, now: Instant, limit: Int = 1_000
  ) -> [JobDecision] {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone) else { return [] }
    var decisions: [JobDecision] = []
    var next = position.next(of: job, in: zone, now: now)
    while let fire = next, decisions.count < limit {
      let begin = job.start(of: fire, in: zone)
      if begin > now { break }
      next = job.nextFire(after: fire, in: zone)
      let due = JobFire(job: job, zone: position.zone, fire: fire, begin: begin)
      let isTooLate = now.seconds(since: fire.instant) > job.catchUpSeconds
      decisions.append(decision(about: due, at: position, isTooLate: isTooLate))
    }
    if job.catchesUpOnce { runOnlyTheLast(&decisions) }
    return decisions
  }

  /// The reason recorded for a fire that a later run makes up for.
  package static let runByALater = "a later run is for all that was missed"

  /// Keeps only the last run, which makes up for all missed ones.
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
      return .skip(due, reason: "overlap: the previous run lasted until \(busy.to)")
    }
    return .run(due)
  }

  /// Returns when a job next begins in one zone after the recorded fires; nil if never.
  package func nextFire(
    of job: Job, at position: JobPosition, zones: any ZoneSource, now: Instant
  ) -> JobFire? {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone),
      let fire = position.next(of: job, in: zone, now: now)
    else { return nil }
    return JobFire(
      job: job, zone: position.zone, fire: fire,
      begin: job.start(of: fire, in: zone))
  }
}
