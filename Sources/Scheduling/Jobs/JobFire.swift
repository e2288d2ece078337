package import CivilTime
package import Ledger

/// One time when a job is due in one zone.
package struct JobFire: Sendable, Equatable {
  /// The job.
  package let job: Job
  /// The IANA zone.
  package let zone: String
  /// When it is due, with the local time that names it.
  package let fire: Fire
  /// When it should begin: the nominal instant plus the jitter.
  package let begin: Instant

  /// Creates a fire of a job in a zone.
  package init(job: Job, zone: String, fire: Fire, begin: Instant) {
    self.job = job
    self.zone = zone
    self.fire = fire
    self.begin = begin
  }

  /// Returns the record of this fire's outcome at `now`.
  package func record(
    of outcome: String, _ reason: String?, at now: Instant, counts: [RunCount] = []
  ) -> RunRecord {
    RunRecord(
      job: job.name, zone: zone, nominal: fire.instant,
      nominalLocal: fire.nominalLocal.description, schedule: job.schedule.expression,
      actual: now.truncatedToMilliseconds,
      outcome: outcome, reason: reason, counts: counts)
  }

  /// Its job and zone.
  package var key: JobKey { JobKey(job: job.name, zone: zone) }
}

/// What to do about a fire whose time has come.
package enum JobDecision: Sendable, Equatable {
  /// Run it now.
  case run(JobFire)
  /// Do not run it; record it as skipped, with the reason.
  case skip(JobFire, reason: String)
  /// It is too late to run; record it as missed, with the reason.
  case miss(JobFire, reason: String)

  /// The outcome recorded for a fire that is not run; `run` for one that is.
  package var outcome: String {
    switch self {
    case .run: "run"
    case .skip: "skipped"
    case .miss: "missed"
    }
  }
}
