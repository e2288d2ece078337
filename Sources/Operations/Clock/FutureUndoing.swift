public import CivilTime
public import Configuration
import Evidence
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Takes back what a clock that was ahead has written: closes, verdicts and grants of a future that has not come.
///
/// What was learnt meanwhile is true. It is written again behind the act, under the same seal; what follows from it is judged anew.
public struct FutureUndoing: Sendable {
  /// What was taken back.
  public struct Report: Sendable {
    /// The present.
    public let now: Instant
    /// What the clock showed at the last line that was taken back; nil when nothing was.
    public internal(set) var through: Instant?
    /// Lines that were taken back, without seals.
    public internal(set) var lines = 0
    /// Closes among them.
    public internal(set) var closes = 0
    /// Grants among them.
    public internal(set) var grants = 0
    /// Lines that were written again, for they tell what is true.
    public internal(set) var again = 0
    /// Records that followed from those at once, without seals.
    public internal(set) var judged = 0
  }

  /// How far ahead of the present what was seen may lie, in seconds: as much as looks allow.
  private static let toleratedSeconds: Int64 = 300

  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Takes back in the data folder of `configuration`, by the clock of `environment`.
  public init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Takes back, as `actor`, every line that was recorded after the present. Does nothing when there is none.
  ///
  /// Throws ``RuntimeError`` where a later truth stands upon one of them: something that happened after the present, so that it is
  /// the present which is wrong, or a person's act, which only a person can repeat; then nothing was changed. Throws
  /// ``LedgerStore/LedgerError`` as every opening does.
  public func run(actor: String) async throws -> Report {
    if DataDirectory(configuration.data).isInDatabase {
      throw Self.refusal("a database goes by its server's clock, and keeps each key once")
    }
    let now = environment.clock.now().truncatedToMilliseconds
    let (taken, users) = try await BlockingThread(named: "rewards.undo").run {
      try takeBack(now, actor: actor)
    }
    var report = taken
    if report.lines == 0 { return report }
    let runtime = try await Runtime.open(configuration, environment)
    do {
      try await runtime.putRulesIntoUse()
      let indexes = await runtime.writer.read { state in
        users.compactMap { state.ledger.index(of: $0) }.sorted()
      }
      report.judged = try await OpenDayEvaluation(runtime.writer).run(over: indexes).appended
    } catch {
      await runtime.close()
      throw error
    }
    await runtime.close()
    return report
  }

  private func takeBack(_ now: Instant, actor: String) throws -> (Report, Set<String>) {
    let directory = DataDirectory(configuration.data)
    // Without a ledger there is nothing to take back, and none is begun.
    let isSimulated = try LedgerReader.open(directory).simulatedPresent() != nil
    if !isSimulated, environment.machineClock != nil {
      throw RuntimeError(
        kind: .present,
        cause: "this ledger lives in real time: the machine's clock says what lies in the future",
        remedy: "nothing was taken back; leave --now out")
    }
    let store = try LedgerStore.open(
      LedgerConfiguration(
        directory: directory, program: "rewards \(ProgramVersion.text)",
        command: environment.command),
      LedgerStore.Dependencies(clock: { now }, randomBytes: environment.randomBytes),
      knownHeads: RelayCursors.heads(configuration) + LedgerReading.unreachedAuditHead(directory))
    defer { store.close() }
    var report = Report(now: now)
    var last: UInt64 = 0
    var again: [RecordBody] = []
    var users: Set<String> = []
    var comers: Set<String> = []
    try store.reader.readRecords(after: 0) { record in
      guard record.at > now else {
        last = record.seq
        return
      }
      if case .seal = record.body { return }
      report.through = record.at
      report.lines += 1
      if let user = record.body.user { users.insert(user) }
      switch record.body {
      case .close: report.closes += 1
      case .grant: report.grants += 1
      case .user(let user): if user.since != nil { comers.insert(user.user) }
      default: break
      }
      if let body = try truth(of: record, now) { again.append(body) }
    }
    report.again = again.count
    guard let through = report.through else { return (report, []) }
    if through > now.adding(seconds: Int64(configuration.maxIdleDays) * 86_400) {
      throw Self.refusal(
        "the last record is of \(through), more than \(configuration.maxIdleDays) days after the present, \(now)"
      )
    }
    try store.reader.readRecords(of: .named(comers)) { record in
      if record.seq <= last, let user = record.body.user {
        throw Self.refusal("\(user) has come back meanwhile, on a day that was not yet")
      }
    }
    let act = OperatorRecord(
      act: .undoFuture, subject: "\(last)",
      what: "\(report.lines) lines through \(through), \(again.count) of them written again",
      reason: "rewards doctor --undo-future", actor: actor)
    _ = try store.append([.operator(act)] + again)
    if let boot = environment.clock.boot, let elapsed = environment.clock.sinceBoot() {
      ClockMark(directory)?.write(ClockReading(wall: now, boot: elapsed), boot: boot)
    }
    return (report, users)
  }

  /// What a line tells that is true whatever the clock showed; nil for what was judged by it.
  private func truth(of record: Record, _ now: Instant) throws -> RecordBody? {
    switch record.body {
    case .evidence(var evidence):
      let (seen, latest) = (evidence.activity, now.adding(seconds: Self.toleratedSeconds))
      if seen.from > latest || !seen.isOpen && seen.to > latest {
        throw Self.refusal(
          "line \(record.seq) tells of what \(evidence.user) did at \(max(seen.from, seen.to)), and the clock shows \(now)"
        )
      }
      if seen.isOpen {
        // Of what goes on a look tells that it lasts until the look, and that was made now at the latest.
        evidence.activity = Activity(
          kind: seen.kind, from: seen.from, to: max(seen.from, min(seen.to, now)), isOpen: true)
      }
      evidence.observedAt = min(evidence.observedAt, now)
      return .evidence(evidence)
    case .user(let user): return try truth(of: user, record.seq, now).map { .user($0) }
    case .run(var run):
      // A night is to be run again, for its closes are taken back; what other programs have done is done.
      if run.nominal > now || run.counts.contains(where: { $0.name == "closed" }) { return nil }
      run.actual = min(run.actual, now)
      return .run(run)
    case .grant(let grant):
      if grant.isPlanned || grant.mission == "manual" { throw Self.act(record.seq) }
      return nil
    case .operator(let act):
      switch act.act {
      case .acceptClock, .confirmClose: return nil
      case .pause, .resume, .schedule, .bringIn, .rules, .request, .approve: return record.body
      case .release, .grant, .apply, .undoFuture: throw Self.act(record.seq)
      }
    case .excuse(let excuse):
      if excuse.withdraws != nil { throw Self.act(record.seq) }
      return record.body
    case .reversal: throw Self.act(record.seq)
    case .credit, .rules: return record.body
    case .genesis, .streak, .level, .unknown, .close, .refused, .message, .seal: return nil
    }
  }

  /// Whoever came, came by now at the latest; a move that a close made is made again.
  private func truth(of user: UserRecord, _ seq: UInt64, _ now: Instant) throws -> UserRecord? {
    var user = user
    if user.takesEffect != nil { return nil }
    guard user.since != nil, user.from > now else {
      user.from = min(user.from, now)
      return user
    }
    guard let zone = try? environment.zones.zone(named: user.zone) else {
      throw Self.refusal("line \(seq) brings in \(user.user), whose time zone cannot be read")
    }
    let window = zone.window(containing: now)
    user.from = window.start
    user.since = window.day
    return user
  }

  private static func act(_ seq: UInt64) -> RuntimeError {
    refusal("line \(seq) is a person's act, which would be lost")
  }

  private static func refusal(_ cause: String) -> RuntimeError {
    RuntimeError(
      kind: .clock, cause: cause,
      remedy:
        "nothing was taken back; wait until the clock has passed the last record, or put a backup back: rewards ledger restore DIR"
    )
  }
}
