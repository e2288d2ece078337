public import CivilTime
public import Described

/// The ledger's state of jobs: how far their fires have been handled, and which jobs are paused.
public struct JobMarks: Sendable {
  /// How far the fires of each job and zone have been handled. Skipped and missed fires count as handled.
  public internal(set) var lastRuns: [JobKey: RunMark] = [:]
  /// The outcome of the last recorded fire of each job and zone.
  public internal(set) var lastOutcomes: [JobKey: RunOutcome] = [:]
  /// The jobs paused by an operator, by name.
  public internal(set) var pauses: [String: PauseMark] = [:]
  /// A counter that grows with every record that may change which jobs are due: users, runs and operators' acts.
  public internal(set) var epoch: UInt64 = 0

  /// Returns the last recorded fire of a job in a zone; nil if there is none.
  public func lastRun(of job: String, in zone: String) -> RunMark? {
    lastRuns[JobKey(job: job, zone: zone)]
  }

  /// Returns the last recorded fires of a job, by zone.
  public func runs(of job: String) -> [(zone: String, mark: RunMark)] {
    lastRuns.filter { $0.key.job == job }.map { ($0.key.zone, $0.value) }
  }

  /// Returns whether there is a record of `run` or of a later fire of its job and zone.
  public func holds(_ run: RunRecord) -> Bool {
    lastRun(of: run.job, in: run.zone).map { RunMark(run).isPassed(by: $0) } ?? false
  }

  /// Applies a recorded fire.
  mutating func apply(_ run: RunRecord) {
    epoch += 1
    let key = JobKey(run)
    lastOutcomes[key] = RunOutcome(outcome: run.outcome, reason: run.reason, at: run.actual)
    if !holds(run) { lastRuns[key] = RunMark(run) }
  }

  /// Applies an operator's act at `instant`.
  mutating func apply(_ act: OperatorRecord, at instant: Instant) {
    epoch += 1
    switch act.act {
    case .pause:
      pauses[act.subject] = PauseMark(since: instant, reason: act.reason, actor: act.actor)
    case .resume: pauses[act.subject] = nil
    case .schedule:
      guard let key = JobKey(act.subject) else { break }
      let passed = lastRuns[key]?.nominal ?? .earliest
      lastRuns[key] = RunMark(
        nominal: max(instant, passed), nominalLocal: "", schedule: act.what)
    case .release, .grant, .apply, .bringIn, .remove, .deliver, .excuse, .rules, .limits, .signers,
      .sources, .acceptClock, .confirmClose, .broadcast, .request, .approve, .decline, .undoFuture,
      .forget:
      break
    }
  }
}

/// A job in one of its zones, written `JOB|ZONE`.
public struct JobKey: Hashable, Sendable, LosslessStringConvertible {
  /// The job's name, without `|`.
  public let job: String
  /// The IANA zone.
  public let zone: String

  /// Creates the key of a job's fires in a zone.
  public init(job: String, zone: String) {
    self.job = job
    self.zone = zone
  }

  /// Creates the key of a recorded fire.
  public init(_ run: RunRecord) { self.init(job: run.job, zone: run.zone) }

  /// Parses a job and a zone; nil for anything else.
  public init?(_ description: String) {
    let parts = description.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(job: String(parts[0]), zone: String(parts[1]))
  }

  /// The job and the zone, as in the subjects of acts.
  public var description: String { "\(job)|\(zone)" }
}

/// The outcome of a run.
public struct RunOutcome: Hashable, Sendable {
  /// `done`, `attention`, `failed`, `timeout`, `skipped` or `missed`.
  public internal(set) var outcome: String
  /// Why it did not run, or why it failed.
  public internal(set) var reason: String?
  /// When it began.
  public internal(set) var at: Instant
}

/// How far a job's fires in one zone have been handled.
public struct RunMark: Hashable, Sendable {
  /// When the last recorded fire was due, or when the job came into force.
  public let nominal: Instant
  /// The local time that names it, e.g. `2026-11-20T00:30`, because a gap may move several to one instant. Empty if
  /// the job came into force here and has not fired since.
  public let nominalLocal: String
  /// The schedule that made it due; nil if its record does not say.
  public let schedule: String?

  /// Creates a mark.
  public init(nominal: Instant, nominalLocal: String, schedule: String? = nil) {
    self.nominal = nominal
    self.nominalLocal = nominalLocal
    self.schedule = schedule
  }

  /// Creates the mark of a recorded fire.
  public init(_ run: RunRecord) {
    self.init(nominal: run.nominal, nominalLocal: run.nominalLocal, schedule: run.schedule)
  }

  /// Returns whether a walk at `other` has passed this fire. Both times count: a clock set back shows a local time
  /// again, and another time zone database may move a later local time to an earlier instant.
  public func isPassed(by other: RunMark) -> Bool {
    nominal <= other.nominal
      && (nominalLocal <= other.nominalLocal || other.nominalLocal.isEmpty)
  }
}

/// The pause of a job by an operator.
public struct PauseMark: Hashable, Sendable {
  /// When the pause began.
  public let since: Instant
  /// The reason given.
  public let reason: String
  /// The person who acted.
  public let actor: String

  /// Creates a pause.
  public init(since: Instant, reason: String, actor: String) {
    self.since = since
    self.reason = reason
    self.actor = actor
  }
}

extension PauseMark: JSONObject {
  /// Since when, why and by whom.
  public static let members = JSONMembers<Self> {
    $0.add("since", \.since)
    $0.add("reason", \.reason)
    $0.add("actor", \.actor)
  }
}
