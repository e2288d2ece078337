public import CivilTime
public import Configuration
import Evidence
import Ledger
import LedgerStore
import RewardRules
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
    /// Keys of grants that were taken back and do not stand as they were, in the order of the alphabet.
    public internal(set) var changed: [String] = []
  }

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
  /// the present which is wrong, a person's act, which only a person can repeat, or a change of the roster; then nothing was changed.
  /// Throws ``LedgerStore/LedgerError`` as every opening does.
  public func run(actor: String) async throws -> Report {
    if configuration.directory.isInDatabase {
      throw Self.refusal("a database goes by its server's clock, and keeps each key once")
    }
    let now = environment.clock.now().truncatedToMilliseconds
    let (first, taken) = try await BlockingThread(named: "rewards.undo").run {
      try takeBack(now, actor: actor)
    }
    var report = first
    if report.lines == 0 { return report }
    let runtime = try await Runtime.open(configuration, environment)
    do {
      try await runtime.putRulesIntoUse()
      let indexes = await runtime.writer.read { [users = taken.users] state in
        users.compactMap { state.ledger.index(of: $0) }.sorted()
      }
      report.judged = try await OpenDayEvaluation(runtime.writer).run(over: indexes).appended
    } catch {
      await runtime.close()
      throw error
    }
    await runtime.close()
    report.changed = try await BlockingThread(named: "rewards.undo").run {
      var gone = taken.grants
      try LedgerReader.open(configuration.directory)
        .readRecords(.ofTypes([.grant]), after: taken.last) { record in
          guard case .grant(let grant) = record.body else { return }
          if gone[grant.key] == grant.reward { gone[grant.key] = nil }
        }
      return gone.keys.sorted()
    }
    return report
  }

  /// The last line that stands; whom lines that were taken back were about, and what they granted, by key.
  private struct Taken: Sendable {
    var last: UInt64 = 0
    var users: Set<String> = []
    var grants: [String: Reward] = [:]
  }

  private func takeBack(_ now: Instant, actor: String) throws -> (Report, Taken) {
    let directory = configuration.directory
    // Without a ledger there is nothing to take back, and none is begun.
    let isSimulated = try LedgerReader.open(directory).simulatedPresent() != nil
    if isSimulated, environment.machineClock == nil {
      throw RuntimeError(
        kind: .present, cause: "this ledger lives in simulated time",
        remedy: "nothing was taken back; name the present with --now")
    }
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
      knownHeads: LedgerReading.headsElsewhere(configuration))
    defer { store.close() }
    var report = Report(now: now)
    var taken = Taken()
    var again: [RecordBody] = []
    try store.reader.readRecords(after: 0) { record in
      guard record.at > now else {
        taken.last = record.seq
        return
      }
      if case .seal = record.body { return }
      report.through = record.at
      report.lines += 1
      if let user = record.body.user { taken.users.insert(user) }
      switch record.body {
      case .close: report.closes += 1
      case .grant(let grant):
        report.grants += 1
        taken.grants[grant.key] = grant.reward
      default: break
      }
      if let body = try truth(of: record, now) { again.append(body) }
    }
    report.again = again.count
    guard let through = report.through else { return (report, taken) }
    if taken.last == 0 { throw Self.refusal("the ledger was begun while the clock was ahead") }
    if through > now.adding(seconds: Int64(configuration.maxIdleDays) * 86_400) {
      throw Self.refusal(
        "the last record is of \(through), more than \(configuration.maxIdleDays) days after the present, \(now)"
      )
    }
    let act = OperatorRecord(
      act: .undoFuture, subject: "\(taken.last)",
      what: "\(report.lines) lines through \(through), \(again.count) of them written again",
      reason: "rewards doctor --undo-future", actor: actor)
    _ = try store.append([.operator(act)] + again)
    if let boot = environment.clock.boot, let elapsed = environment.clock.sinceBoot() {
      ClockMark(directory)?.write(ClockReading(wall: now, boot: elapsed), boot: boot)
    }
    return (report, taken)
  }

  /// What a line tells that is true whatever the clock showed; nil for what was judged by it.
  private func truth(of record: Record, _ now: Instant) throws -> RecordBody? {
    switch record.body {
    case .evidence(var evidence):
      let seen = evidence.activity
      if seen.lastTold.isAhead(of: now) {
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
    case .user(let user):
      // A move that a close made is made again. When somebody came, moved or left, and on which day, only a right clock can tell.
      if user.takesEffect != nil { return nil }
      throw Self.refusal(
        "line \(record.seq) changes the roster, by the day that the clock showed: \(user.user)")
    case .run(var run):
      // A night is to be run again, for its closes are taken back, and so is what was passed over; what other programs have done is done.
      if run.nominal > now || run.counts.contains(where: { $0.name == "closed" })
        || ["missed", "skipped"].contains(run.outcome)
      {
        return nil
      }
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
    case .credit(let credit):
      if credit.effective.isAhead(of: now) {
        throw Self.refusal(
          "line \(record.seq) is a credit of \(credit.effective), and the clock shows \(now)")
      }
      return record.body
    case .rules: return record.body
    case .genesis, .streak, .level, .unknown, .close, .refused, .message, .seal: return nil
    }
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
