package import CivilTime
package import Ledger

/// The position in the walk over a job's fires in one zone: what is recorded, and what blocks it now.
package struct JobPosition: Sendable, Equatable {
  /// The time during which the last run of this job and zone was going on, in this process.
  package struct Span: Sendable, Equatable {
    /// When the run began.
    package let from: Instant
    /// When it ended.
    package let to: Instant

    package init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }
  }

  /// The zone.
  package let zone: String
  /// Where the walk begins if nothing is recorded: when the zone first had users.
  package let since: Instant
  /// The last recorded fire; nil if there is none.
  package let last: RunMark?
  /// The pause in force; nil if there is none.
  package let pause: PauseMark?
  /// The span of the last run; nil if none ran in this process.
  package var busy: Span?
  /// Whether nothing is recorded yet for the job with its present schedule and zone. It is then in force from now on,
  /// and no earlier fires are due.
  package var isNew = false

  package init(
    zone: String, since: Instant, last: RunMark?, pause: PauseMark?, busy: Span? = nil
  ) {
    self.zone = zone
    self.since = since
    self.last = last
    self.pause = pause
    self.busy = busy
  }

  /// Returns the record that a new or changed job is in force here from now on.
  func beginning(of job: Job) -> OperatorRecord {
    OperatorRecord(
      act: .schedule, subject: "\(JobKey(job: job.name, zone: zone))",
      what: job.schedule.expression,
      reason: last == nil ? "the job is new here" : "the job's schedule has been changed",
      actor: "rewards")
  }

  /// Returns the first fire without a record; in a zone newer than the job, the first fire within its catch-up.
  func next(of job: Job, in zone: Zone, now: Instant) -> Fire? {
    if isNew { return job.nextFire(after: now, in: zone) }
    guard let last else {
      let oldest = now.adding(seconds: -job.catchUpSeconds - 1)
      return job.nextFire(after: max(since, oldest), in: zone)
    }
    // Records from before the zone lost its last user do not count for its new users.
    guard last.nominal >= since, let local = LocalDateTime(last.nominalLocal) else {
      return job.nextFire(after: max(since, last.nominal), in: zone)
    }
    return job.nextFire(after: Fire(instant: last.nominal, nominalLocal: local), in: zone)
  }
}

extension LedgerState {
  /// The zones in which users' days end, by name, each with its start. Includes zones that users are moving into,
  /// because a day extended by a move ends in the new zone before anyone lives there.
  package var zonesInUse: [String: Instant] {
    users.zones.since.merging(users.arrivals) { min($0, $1) }
  }

  /// Returns a job's position in each of its zones, by zone name.
  package func positions(of job: Job) -> [JobPosition] {
    let zones: [(name: String, since: Instant)]
    switch job.place {
    case .zone(let zone):
      // For a zone named by the job itself, records remain valid whoever comes or goes.
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

  /// Returns whether a job has changed since the last recorded fire in a zone or, without one, since any of its fires.
  private func isNew(_ job: Job, since last: RunMark?, among marks: [RunMark]) -> Bool {
    func isOther(_ mark: RunMark) -> Bool {
      mark.schedule.map { $0 != job.schedule.expression } ?? false
    }
    if let last { return isOther(last) }
    return job.place == .eachUserZone ? marks.allSatisfy(isOther) : true
  }
}
