public import CivilTime
public import Ledger
public import LedgerStore
public import Scheduling
import Threading

/// Compares the fires that should have been with the runs that the ledger records.
public struct JobAudit: Sendable {
  /// How a fire went.
  public enum Verdict: String, Sendable, CaseIterable {
    /// It began within five minutes of its time, jitter included.
    case onTime = "on time"
    /// It began up to an hour after its time.
    case late
    /// It began later than that, within the job's catch-up.
    case caughtUp = "caught up"
    /// It was not run because the one before still went on.
    case overlap = "skipped by overlap"
    /// It was not run because an operator had paused the job.
    case paused
    /// It was stopped because it took too long, or failed.
    case failed
    /// It is recorded as missed, or is not recorded at all and too late to be run.
    case missed
    /// It is not recorded, and may still be run.
    case pending
    /// It is recorded more than once.
    case doubled
  }

  /// One fire with what became of it.
  public struct Finding: Sendable, Equatable {
    /// The fire.
    public let fire: JobFire
    /// How it went.
    public let verdict: Verdict
    /// When it began; nil when nothing is recorded.
    public let actual: Instant?
    /// The recorded reason, when there is one.
    public let reason: String?
  }

  static let onTimeSeconds: Int64 = 300
  static let lateSeconds: Int64 = 3_600

  private let jobs: [Job]
  private let zones: any ZoneSource
  private let now: Instant
  /// What is not about single users' days, as of the last record.
  private(set) var state = LedgerState()
  /// Up to which fire a job is dealt with in a zone before the first record, by job and zone.
  private var dealtWith: [String: RunMark] = [:]
  /// Runs of fires that were dealt with before.
  private var repeated: [RunRecord] = []
  private var presence: [String: [Presence]] = [:]
  /// Since when new and changed jobs are in force, by job and zone.
  private var beginnings: [String: [RunMark]] = [:]
  /// By job and zone, then by the local time that names the fire.
  private var runs: [String: [String: [RunRecord]]] = [:]
  /// The first record of each job and zone, as a fire or as coming into force.
  private var firstUses: [String: Instant] = [:]
  /// The zones in use when that was looked at last.
  private var known: [String: Instant] = [:]
  /// Until when the last of those lived in a zone who have left it, by zone name.
  private var departures: [String: Instant] = [:]

  /// A span in which a zone had users, as the ledger knew it.
  private struct Presence {
    let from: Instant
    /// When the last one's leaving was recorded; nil while there are users.
    var to: Instant?
    /// When the last one left. What comes due between the two is run by those who do not know it yet only.
    var left: Instant?

    /// Whether a fire that nobody began had nothing to do.
    ///
    /// So it is when the last user left before it was to begin, or moved away while nobody ran and the leaving was recorded
    /// first, as long as the fire might still have been run.
    func isOver(before fire: JobFire, of job: Job) -> Bool {
      guard let left, let to else { return false }
      return fire.begin >= left
        || left < to && to.seconds(since: fire.fire.instant) <= job.catchUpSeconds
    }
  }

  /// An audit of `jobs` at `now`; disabled jobs are not expected to run.
  public init(jobs: [Job], zones: any ZoneSource, now: Instant) {
    self.jobs = jobs.filter(\.isEnabled)
    self.zones = zones
    self.now = now
  }

  /// The same of what follows `state`, up to which every run is accounted for.
  init(jobs: [Job], zones: any ZoneSource, now: Instant, after state: LedgerState) {
    self.init(jobs: jobs, zones: zones, now: now)
    self.state = state
    for job in self.jobs {
      for (zone, mark) in state.jobs.runs(of: job.name) {
        let key = JobMarks.key(of: job.name, in: zone)
        dealtWith[key] = mark
        firstUses[key] = mark.nominal
      }
    }
    notePresence(at: state.at)
  }

  /// Takes the next record of the ledger in.
  public mutating func add(_ record: Record) {
    if case .run(let run) = record.body,
      let mark = dealtWith[JobMarks.key(of: run.job, in: run.zone)],
      RunMark(run).isPassed(by: mark)
    {
      repeated.append(run)
    }
    if case .user(let user) = record.body { noteDeparture(user, at: record.at) }
    state.apply(record)
    switch record.body {
    case .user: notePresence(at: record.at)
    case .run(let run):
      let key = JobMarks.key(of: run.job, in: run.zone)
      runs[key, default: [:]][run.nominalLocal, default: []].append(run)
      noteUse(of: key, since: run.nominal)
    case .operator(let act) where act.act == .schedule:
      let mark = RunMark(nominal: record.at, nominalLocal: "", schedule: act.what)
      beginnings[act.subject, default: []].append(mark)
      noteUse(of: act.subject, since: record.at)
    default: break
    }
  }

  private mutating func noteUse(of key: String, since instant: Instant) {
    firstUses[key] = min(firstUses[key] ?? instant, instant)
  }

  /// What became of every fire that was due from `from` up to, not including, `to`, in the order of jobs, zones and time.
  ///
  /// A job is expected to run from its first record on; one that has none is not in use yet. Where its schedule was changed,
  /// what it names now is expected where the schedule of then named it, too.
  public func findings(from: Instant, to: Instant) -> [Finding] {
    var findings = repeated.compactMap(doubled)
    for job in jobs {
      let uses = firstUses.filter { $0.key.hasPrefix(JobMarks.key(of: job.name, in: "")) }
      guard let firstOfAll = uses.values.min() else { continue }
      let allZones = course(of: job)
      for (name, spans) in spans(of: job) {
        guard let zone = try? zones.zone(named: name) else { continue }
        var course = allZones
        let key = JobMarks.key(of: job.name, in: name)
        // In a zone that it names itself a job is in use from its first record there.
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
    for (key, runs) in runs where key.hasPrefix("\(job.name)|") {
      let mark = dealtWith[key]
      // One that was recorded before, and is once more, tells nothing of later fires.
      told += runs.values.joined().filter { $0.nominal > mark?.nominal ?? .earliest }.map(
        RunMark.init)
    }
    for (key, marks) in beginnings where key.hasPrefix("\(job.name)|") { told += marks }
    for (key, mark) in dealtWith where key.hasPrefix("\(job.name)|") {
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
    let begin = job.begin(of: fire, in: zone)
    let due = JobFire(job: job, zone: zoneName, fire: fire, begin: begin)
    var records = runs[due.key]?[fire.nominalLocal.description] ?? []
    // A clock that is set back shows the same local time at two fires.
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

  /// Notes until when somebody lived in a zone, or was on the way there, who leaves it; a move tells that when it takes effect.
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
    // Most users come into a zone that has some already.
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
  /// An audit of a data folder's ledger up to its last seal.
  public static func read(
    _ directory: DataDirectory, jobs: [Job], zones: any ZoneSource, now: Instant
  ) async throws -> JobAudit {
    try await BlockingThread(named: "rewards.audit").run {
      var audit = JobAudit(jobs: jobs, zones: zones, now: now)
      try LedgerReader.open(directory).readRecords(after: 0) { audit.add($0) }
      return audit
    }
  }
}
