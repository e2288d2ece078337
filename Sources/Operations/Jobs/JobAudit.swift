package import CivilTime
import Foundations
package import Ledger
package import LedgerStore
package import Scheduling

/// Compares the fires that were due with the runs that the ledger records.
package struct JobAudit: Sendable {
  /// How a fire went.
  package enum Verdict: String, Sendable, CaseIterable {
    /// It began within five minutes of its time, including jitter.
    case onTime = "on time"
    /// It began up to an hour after its time.
    case late
    /// It began even later, but within the job's catch-up.
    case caughtUp = "caught up"
    /// It was skipped because the previous run was still going on.
    case overlap = "skipped by overlap"
    /// It was skipped because an operator had paused the job.
    case paused
    /// It failed, or timed out and was stopped.
    case failed
    /// It is recorded as missed, or is unrecorded and too late to run.
    case missed
    /// It is unrecorded and may still run.
    case pending
    /// It is recorded more than once.
    case doubled
  }

  /// A fire and its outcome.
  package struct Finding: Sendable, Equatable {
    /// The fire.
    package let fire: JobFire
    /// How it went.
    package let verdict: Verdict
    /// When it began; nil when it is unrecorded.
    package let actual: Instant?
    /// The recorded reason, if any.
    package let reason: String?
  }

  static let onTimeSeconds: Int64 = 300
  static let lateSeconds: Int64 = 3_600

  private let jobs: [Job]
  private let zones: any ZoneSource
  private let now: Instant
  /// The state that is not about single users' days, as of the last record.
  private(set) var state = LedgerState()
  /// The fire up to which a job was settled in a zone before the first record, by job and zone.
  private var dealtWith: [JobKey: RunMark] = [:]
  /// Runs of fires that were already settled.
  private var repeated: [RunRecord] = []
  private var presence: [String: [Presence]] = [:]
  /// When new and changed jobs came into force, by job and zone.
  private var beginnings: [JobKey: [RunMark]] = [:]
  /// The runs by job and zone, then by the local time that names the fire.
  private var runs: [JobKey: [String: [RunRecord]]] = [:]
  /// When each job was first recorded in each zone, as a fire or as coming into force.
  private var firstUses: [JobKey: Instant] = [:]
  /// The zones in use when last checked.
  private var known: [String: Instant] = [:]
  /// When the last departed user lived in a zone, by zone name.
  private var departures: [String: Instant] = [:]

  /// A span in which a zone had users, according to the ledger.
  private struct Presence {
    let from: Instant
    /// When the last user's departure was recorded; nil while there are users.
    var to: Instant?
    /// When the last user left. A fire between the two runs only if the departure was not yet known.
    var left: Instant?

    /// Whether a fire that never began had nothing to do.
    ///
    /// That is so when the last user left before it was to begin, or moved away while no service ran and the departure was
    /// recorded while the fire could still have run.
    func isOver(before fire: JobFire, of job: Job) -> Bool {
      guard let left, let to else { return false }
      return fire.begin >= left
        || left < to && to.seconds(since: fire.fire.instant) <= job.catchUpSeconds
    }
  }

  /// Creates an audit of `jobs` at `now`; disabled jobs are not expected to run.
  package init(jobs: [Job], zones: any ZoneSource, now: Instant) {
    self.jobs = jobs.filter(\.isEnabled)
    self.zones = zones
    self.now = now
  }

  /// Creates an audit of what follows `state`, up to which every run is accounted for.
  init(jobs: [Job], zones: any ZoneSource, now: Instant, after state: LedgerState) {
    self.init(jobs: jobs, zones: zones, now: now)
    self.state = state
    for job in self.jobs {
      for (zone, mark) in state.jobs.runs(of: job.name) {
        let key = JobKey(job: job.name, zone: zone)
        dealtWith[key] = mark
        firstUses[key] = mark.nominal
      }
    }
    notePresence(at: state.at)
  }

  /// Processes the next record of the ledger.
  package mutating func add(_ record: Record) {
    if case .run(let run) = record.body,
      let mark = dealtWith[JobKey(run)],
      RunMark(run).isPassed(by: mark)
    {
      repeated.append(run)
    }
    if case .user(let user) = record.body { noteDeparture(user, at: record.at) }
    state.apply(record)
    switch record.body {
    case .user: notePresence(at: record.at)
    case .run(let run):
      let key = JobKey(run)
      runs[key, default: [:]][run.nominalLocal, default: []].append(run)
      noteUse(of: key, since: run.nominal)
    case .operator(let act) where act.act == .schedule:
      let mark = RunMark(nominal: record.at, nominalLocal: "", schedule: act.what)
      guard let key = JobKey(act.subject) else { break }
      beginnings[key, default: []].append(mark)
      noteUse(of: key, since: record.at)
    default: break
    }
  }

  private mutating func noteUse(of key: JobKey, since instant: Instant) {
    firstUses[key] = min(firstUses[key] ?? instant, instant)
  }

  /// Returns the outcome of every fire due from `from` until before `to`, ordered by job, zone and time.
  ///
  /// A job is expected to run from its first record on; a job without one is not in use yet. After a change of schedule, a
  /// fire is expected only where both the present schedule and the one in force at that time name it.
  package func findings(from: Instant, to: Instant) -> [Finding] {
    var findings = repeated.compactMap(doubled)
    for job in jobs {
      let uses = firstUses.filter { $0.key.job == job.name }
      guard let firstOfAll = uses.values.min() else { continue }
      let allZones = course(of: job)
      for (name, spans) in spans(of: job) {
        guard let zone = try? zones.zone(named: name) else { continue }
        var course = allZones
        let key = JobKey(job: job.name, zone: name)
        // In a zone that it names itself, a job is in use from its first record there.
        guard let first = job.place == .eachUserZone ? firstOfAll : uses[key] else { continue }
        let start = max(first.adding(seconds: -1), dealtWith[key]?.nominal ?? .earliest)
        for span in spans {
          let begin = max(span.from, from, start)
          let end = min(span.to ?? .latest, min(to, now))
          var next = job.nextFire(after: begin, in: zone)
          while let fire = next, fire.instant < end {
            let finding = finding(job, name, fire, in: zone)
            let isVoid =
              finding.actual == nil
              && (!course.names(fire) || span.isOver(before: finding.fire, of: job))
            if !isVoid { findings.append(finding) }
            next = job.nextFire(after: fire, in: zone)
          }
        }
      }
    }
    return findings
  }

  private func course(of job: Job) -> ScheduleCourse {
    var told: [RunMark] = []
    var newest: RunMark?
    for (key, runs) in runs where key.job == job.name {
      let mark = dealtWith[key]
      // A run that repeats an earlier record says nothing about later fires.
      told += runs.values.joined().filter { $0.nominal > mark?.nominal ?? .earliest }.map(
        RunMark.init)
    }
    for (key, marks) in beginnings where key.job == job.name { told += marks }
    for (key, mark) in dealtWith where key.job == job.name {
      if newest.map({ $0.nominal < mark.nominal }) ?? true { newest = mark }
    }
    return ScheduleCourse(of: job, told, after: newest)
  }

  private func doubled(_ run: RunRecord) -> Finding? {
    guard let job = jobs.first(where: { $0.name == run.job }),
      let local = LocalDateTime(run.nominalLocal)
    else { return nil }
    let fire = Fire(instant: run.nominal, nominalLocal: local)
    return Finding(
      fire: JobFire(job: job, zone: run.zone, fire: fire, begin: run.nominal), verdict: .doubled,
      actual: run.actual, reason: run.reason)
  }

  private func spans(of job: Job) -> [(String, [Presence])] {
    switch job.place {
    case .eachUserZone: return presence.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .zone(let zone):
      let from = presence.values.compactMap { $0.first?.from }.min()
      return from.map { [(zone, [Presence(from: $0)])] } ?? []
    }
  }

  private func finding(_ job: Job, _ zoneName: String, _ fire: Fire, in zone: Zone) -> Finding {
    let begin = job.start(of: fire, in: zone)
    let due = JobFire(job: job, zone: zoneName, fire: fire, begin: begin)
    var records = runs[due.key]?[fire.nominalLocal.description] ?? []
    // When a clock is set back, two fires have the same local time.
    if job.schedule.followsElapsedTime { records.removeAll { $0.nominal != fire.instant } }
    guard let run = records.first else {
      let isLost = now.seconds(since: fire.instant) > job.catchUpSeconds
      return Finding(fire: due, verdict: isLost ? .missed : .pending, actual: nil, reason: nil)
    }
    let verdict = records.count > 1 ? .doubled : Self.verdict(on: run, due: begin)
    return Finding(fire: due, verdict: verdict, actual: run.actual, reason: run.reason)
  }

  private static func verdict(on run: RunRecord, due begin: Instant) -> Verdict {
    switch run.outcome {
    case "missed": return .missed
    case "skipped":
      let reason = run.reason ?? ""
      if reason == JobBoard.runByALater { return .caughtUp }
      return reason.hasPrefix("paused") ? .paused : .overlap
    case "timeout", "failed": return .failed
    default:
      let delay = run.actual.seconds(since: begin)
      if delay <= onTimeSeconds { return .onTime }
      return delay <= lateSeconds ? .late : .caughtUp
    }
  }

  /// Notes until when a departing user lived in a zone or was moving there. A move is noted when it takes effect.
  private mutating func noteDeparture(_ user: UserRecord, at instant: Instant) {
    guard user.removed || user.takesEffect != nil, let index = state.users.index(of: user.user)
    else { return }
    let account = state.users.accounts[index]
    let left = user.takesEffect == nil ? instant : user.from
    for zone in [state.users.zones[account.zone]] + account.changes.map(\.zone) {
      departures[zone] = max(departures[zone] ?? .earliest, left)
    }
  }

  private mutating func notePresence(at instant: Instant) {
    // Most users join a zone that already has some.
    if state.users.moving.isEmpty, state.users.zones.since == known { return }
    let inUse = state.zonesInUse
    known = inUse
    for (zone, since) in inUse where presence[zone].map({ $0.last?.to != nil }) ?? true {
      presence[zone, default: []].append(Presence(from: since))
    }
    for (zone, spans) in presence where spans.last?.to == nil && inUse[zone] == nil {
      presence[zone]?[spans.count - 1].to = instant
      presence[zone]?[spans.count - 1].left = min(instant, departures[zone] ?? instant)
    }
  }
}

extension JobAudit {
  /// Reads a ledger into an audit, up to its head.
  package static func read(
    _ ledger: LedgerReader, jobs: [Job], zones: any ZoneSource, now: Instant
  ) async throws -> JobAudit {
    try await BlockingThread(named: "rewards.audit").run {
      var audit = JobAudit(jobs: jobs, zones: zones, now: now)
      try ledger.scan { audit.add($0) }
      return audit
    }
  }
}
