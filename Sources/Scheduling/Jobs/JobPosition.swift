public import CivilTime
public import Ledger

/// Where the walk over a job's fires in one zone stands: what is recorded, and what stops it now.
public struct JobPosition: Sendable, Equatable {
  /// The span in which the last run of this job and zone went on, in this process.
  public struct Span: Sendable, Equatable {
    /// When the run began.
    public let from: Instant
    /// When it ended.
    public let to: Instant

    /// Creates a span.
    public init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }
  }

  /// The zone.
  public let zone: String
  /// When the walk begins if nothing is recorded: since when the zone has had users.
  public let since: Instant
  /// The last recorded fire; nil when there is none.
  public let last: RunMark?
  /// The pause that holds now; nil when none does.
  public let pause: PauseMark?
  /// The last run's span; nil when none ran in this process.
  public var busy: Span?
  /// Whether nothing is recorded yet of the job as it is now, with this schedule in this zone. It is in force from now on:
  /// of the time before nothing is owed.
  public var isNew = false

  /// Creates a position.
  public init(
    zone: String, since: Instant, last: RunMark?, pause: PauseMark?, busy: Span? = nil
  ) {
    self.zone = zone
    self.since = since
    self.last = last
    self.pause = pause
    self.busy = busy
  }

  /// Returns the record that a new or changed job is in force here from its writing on.
  func beginning(of job: Job) -> OperatorRecord {
    OperatorRecord(
      act: .schedule, subject: JobMarks.key(of: job.name, in: zone), what: job.schedule.expression,
      reason: last == nil ? "the job is new here" : "the job's schedule has been changed",
      actor: "rewards")
  }

  /// Returns the first fire that nothing is recorded of; of a zone that came later than the job the first within its catch-up.
  func next(of job: Job, in zone: Zone, now: Instant) -> Fire? {
    if isNew { return job.nextFire(after: now, in: zone) }
    guard let last else {
      let oldest = now.adding(seconds: -job.catchUpSeconds - 1)
      return job.nextFire(after: max(since, oldest), in: zone)
    }
    // What is recorded from before the zone lost its last user does not count for its new ones.
    guard last.nominal >= since, let local = LocalDateTime(last.nominalLocal) else {
      return job.nextFire(after: max(since, last.nominal), in: zone)
    }
    return job.nextFire(after: Fire(instant: last.nominal, nominalLocal: local), in: zone)
  }
}

extension LedgerState {
  /// The zones in which days of users end, by name, and since when: those that have users, and those into which some
  /// are moving. A day that is extended by a move ends in the new zone before anybody lives there.
  public var zonesInUse: [String: Instant] {
    users.zones.since.merging(users.arrivals) { min($0, $1) }
  }

  /// Where a job stands in each of its zones, by zone name.
  public func positions(of job: Job) -> [JobPosition] {
    let zones: [(name: String, since: Instant)]
    switch job.place {
    case .zone(let zone):
      // Whoever comes and goes: what is recorded of a zone that the job names itself stays good.
      let since = users.zones.since.values.min() ?? at
      zones = [(zone, min(since, jobs.lastRun(of: job.name, in: zone)?.nominal ?? since))]
    case .eachUserZone:
      zones = zonesInUse.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    let marks = jobs.runs(of: job.name).map(\.mark)
    return zones.map { zone, since in
      var position = JobPosition(
        zone: zone, since: since, last: jobs.lastRun(of: job.name, in: zone),
        pause: jobs.pauses[job.name])
      position.isNew = isNew(job, since: position.last, among: marks)
      return position
    }
  }

  /// Returns whether a job is another than when the last fire of a zone was recorded, or, where there is none, than at any fire.
  private func isNew(_ job: Job, since last: RunMark?, among marks: [RunMark]) -> Bool {
    func isOther(_ mark: RunMark) -> Bool {
      mark.schedule.map { $0 != job.schedule.expression } ?? false
    }
    if let last { return isOther(last) }
    return job.place == .eachUserZone ? marks.allSatisfy(isOther) : true
  }
}
