public import CivilTime

/// Decides which jobs are due in which zones. A pure function of the jobs, the zones in use and what is recorded.
///
/// Each fire is met exactly once: the walk goes on from the last recorded nominal time of the job and zone, or from when
/// the zone got its first user.
public struct JobBoard: Sendable {
  /// The jobs, disabled ones included.
  public let jobs: [Job]

  /// A board of jobs.
  public init(jobs: [Job]) { self.jobs = jobs }

  /// Where the walk over a job's fires in one zone stands.
  public struct Position: Sendable, Hashable {
    /// The zone.
    public let zone: String
    /// The last nominal instant that was dealt with, or the beginning.
    public let after: Instant

    /// A position.
    public init(zone: String, after: Instant) {
      self.zone = zone
      self.after = after
    }
  }

  /// What is due at `now` for one job, oldest first, at most `limit` decisions.
  ///
  /// `position` is the job's in one zone. A zone that is unknown has no fires: its users are reported elsewhere.
  public func decisions(
    for job: Job, at position: Position, zones: any ZoneSource, now: Instant, limit: Int = 1_000
  ) -> [JobDecision] {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone) else { return [] }
    var decisions: [JobDecision] = []
    var next = job.schedule.nextFire(after: position.after, in: zone)
    while let fire = next, decisions.count < limit {
      let begin = fire.instant.adding(seconds: job.jitter(of: fire, in: zone))
      if begin > now { break }
      let due = JobFire(job: job, zone: position.zone, fire: fire, begin: begin)
      let isTooLate = now.seconds(since: fire.instant) > job.catchUpSeconds
      decisions.append(isTooLate ? .miss(due) : .run(due))
      next = job.schedule.nextFire(after: fire, in: zone)
    }
    return decisions
  }

  /// When a job begins next in one zone after its position; nil when never.
  public func nextBegin(
    of job: Job, at position: Position, zones: any ZoneSource
  ) -> Instant? {
    guard job.isEnabled, let zone = try? zones.zone(named: position.zone),
      let fire = job.schedule.nextFire(after: position.after, in: zone)
    else { return nil }
    return fire.instant.adding(seconds: job.jitter(of: fire, in: zone))
  }
}
