public import CivilTime

/// One time at which a job is due in one zone.
public struct JobFire: Sendable, Equatable {
  /// The job.
  public let job: Job
  /// The IANA zone.
  public let zone: String
  /// When it is due, and the local time that names it.
  public let fire: Fire
  /// When it should begin: the nominal instant and the jitter.
  public let begin: Instant
}

/// What is to be done about a fire whose time has come.
public enum JobDecision: Sendable, Equatable {
  /// Run it now.
  case run(JobFire)
  /// Too late to run: it is recorded as missed.
  case miss(JobFire)
}
