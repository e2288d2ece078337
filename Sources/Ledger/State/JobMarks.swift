public import CivilTime

/// What the ledger says of jobs: how far their fires are dealt with, and which of them are paused.
public struct JobMarks: Sendable {
  /// Up to where the fires of each job and zone are dealt with, by `JOB|ZONE`; skipped and missed ones count.
  public internal(set) var lastRuns: [String: RunMark] = [:]
  /// What came of the last recorded fire of each job and zone, by `JOB|ZONE`.
  public internal(set) var lastOutcomes: [String: RunOutcome] = [:]
  /// The jobs that an operator has paused, by name.
  public internal(set) var pauses: [String: PauseMark] = [:]
  /// Grows with every record that may change what jobs are due: users, runs and acts of operators.
  public internal(set) var epoch: UInt64 = 0

  /// What identifies the fires of a job in a zone: `JOB|ZONE`.
  public static func key(of job: String, in zone: String) -> String { "\(job)|\(zone)" }

  /// Returns the last recorded fire of a job in a zone, or nil.
  public func lastRun(of job: String, in zone: String) -> RunMark? {
    lastRuns[Self.key(of: job, in: zone)]
  }

  /// Returns the last recorded fires of a job, by zone.
  public func runs(of job: String) -> [(zone: String, mark: RunMark)] {
    let prefix = "\(job)|"
    return lastRuns.filter { $0.key.hasPrefix(prefix) }
      .map { (String($0.key.dropFirst(prefix.count)), $0.value) }
  }

  /// Returns whether the fire of `run`, or a later one of its job and zone, has a record.
  public func holds(_ run: RunRecord) -> Bool {
    lastRun(of: run.job, in: run.zone).map { RunMark(run).isPassed(by: $0) } ?? false
  }

  /// Takes a recorded fire in.
  mutating func take(_ run: RunRecord) {
    epoch += 1
    let key = Self.key(of: run.job, in: run.zone)
    lastOutcomes[key] = RunOutcome(outcome: run.outcome, reason: run.reason, at: run.actual)
    if !holds(run) { lastRuns[key] = RunMark(run) }
  }

  /// Takes in that an operator did something at `instant`.
  mutating func take(_ act: OperatorRecord, at instant: Instant) {
    epoch += 1
    switch act.act {
    case .pause:
      pauses[act.subject] = PauseMark(since: instant, reason: act.reason, actor: act.actor)
    case .resume: pauses[act.subject] = nil
    case .schedule:
      let passed = lastRuns[act.subject]?.nominal ?? .earliest
      lastRuns[act.subject] = RunMark(
        nominal: max(instant, passed), nominalLocal: "", schedule: act.what)
    case .release, .grant, .apply, .bringIn, .rules, .acceptClock, .confirmClose, .request,
      .approve, .undoFuture:
      break
    }
  }
}

/// What came of a run.
public struct RunOutcome: Hashable, Sendable {
  /// `done`, `attention`, `failed`, `timeout`, `skipped` or `missed`.
  public internal(set) var outcome: String
  /// Why it did not run, or failed.
  public internal(set) var reason: String?
  /// When it began.
  public internal(set) var at: Instant
}

/// How far a job's fires in one zone are dealt with.
public struct RunMark: Hashable, Sendable {
  /// When the last recorded fire was due, or since when the job is in force.
  public let nominal: Instant
  /// The local time that names it, as `2026-11-20T00:30`: a gap may move several to one instant. Empty where the job came
  /// into force here, and has not fired since.
  public let nominalLocal: String
  /// The schedule by which it was due; nil where its record does not tell.
  public let schedule: String?

  /// Creates a mark.
  public init(nominal: Instant, nominalLocal: String, schedule: String? = nil) {
    self.nominal = nominal
    self.nominalLocal = nominalLocal
    self.schedule = schedule
  }

  /// How far the record of a fire goes.
  public init(_ run: RunRecord) {
    self.init(nominal: run.nominal, nominalLocal: run.nominalLocal, schedule: run.schedule)
  }

  /// Returns whether a walk that stands at `other` has passed this fire. Both times count: a clock that is set back
  /// shows a local time again, and another time zone database may put a later local time at an earlier instant.
  public func isPassed(by other: RunMark) -> Bool {
    nominal <= other.nominal
      && (nominalLocal <= other.nominalLocal || other.nominalLocal.isEmpty)
  }
}

/// That an operator has paused a job.
public struct PauseMark: Hashable, Sendable {
  /// Since when.
  public let since: Instant
  /// Why.
  public let reason: String
  /// Who.
  public let actor: String

  /// Creates a pause.
  public init(since: Instant, reason: String, actor: String) {
    self.since = since
    self.reason = reason
    self.actor = actor
  }
}
