package import CivilTime
package import Configuration
import Evidence
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Scheduling

/// Takes back what a clock that was ahead wrote: closes, verdicts and grants of a future that has not come.
///
/// Facts recorded meanwhile are true. They are written again after the act, under the same seal, and their consequences
/// are judged anew.
package struct FutureUndoing: Sendable {
  /// A summary of what was taken back.
  package struct Report: Sendable {
    /// The present.
    package let now: Instant
    /// The time of the last line that was taken back; nil when none was.
    package internal(set) var through: Instant?
    /// The number of lines taken back, without seals.
    package internal(set) var lines = 0
    /// The number of closes among them.
    package internal(set) var closes = 0
    /// The number of grants among them.
    package internal(set) var grants = 0
    /// The number of lines written again because they are true.
    package internal(set) var again = 0
    /// The number of records that followed from those at once, without seals.
    package internal(set) var judged = 0
    /// The keys of grants that were taken back and do not stand as before, in alphabetical order.
    package internal(set) var changed: [String] = []
  }

  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Prepares to take back lines in the data folder of `configuration`, by the clock of `environment`.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Takes back, as `actor`, every line recorded after the present. Does nothing when there is none.
  ///
  /// Throws ``RuntimeError`` and changes nothing where a line cannot be taken back: something that happened after the
  /// present, which means that the present is wrong, a manual act, which only a person can repeat, or a change of the
  /// roster. Throws ``LedgerStore/LedgerError`` as every opening does.
  package func run(actor: String) async throws -> Report {
    if configuration.directory.isInDatabase {
      throw Self.refusal("a database uses its server's clock, and keeps each key only once")
    }
    let now = environment.clock.now().truncatedToMilliseconds
    let (first, taken) = try await BlockingThread(named: "rewards.undo").run {
      try takeBack(now, actor: actor)
    }
    var report = first
    // Also when nothing is left to take back: a run that was killed may have done that and no more.
    let zone = try environment.zones.zone(named: configuration.api.timeZone)
    for source in configuration.sources {
      try await InboxFolder(configuration.directory, of: source.terms, naiveZone: zone)
        .forgetComplete(after: now)
    }
    if report.lines == 0 { return report }
    let runtime = try await Runtime.open(configuration, environment)
    do {
      try await runtime.recordRules()
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
        .scan(.ofTypes([.grant]), after: taken.last) { record in
          guard case .grant(let grant) = record.body else { return }
          if gone[grant.key] == grant.reward { gone[grant.key] = nil }
        }
      return gone.keys.sorted()
    }
    return report
  }

  /// The last line that stands, and the users and grants, by key, of the lines that were taken back.
  private struct Taken: Sendable {
    var last: UInt64 = 0
    var users: Set<String> = []
    var grants: [String: Reward] = [:]
  }

  private func takeBack(_ now: Instant, actor: String) throws -> (Report, Taken) {
    let directory = configuration.directory
    // Without a ledger there is nothing to take back, and this must not create one.
    let ledger = try LedgerReader.open(directory)
    let isSimulated = try ledger.simulatedPresent() != nil
    if isSimulated, environment.machineClock == nil {
      throw RuntimeError(
        kind: .present, cause: "this ledger lives in simulated time",
        remedy: "nothing was taken back; give the present with --now")
    }
    if !isSimulated, environment.machineClock != nil {
      throw RuntimeError(
        kind: .present,
        cause:
          "this ledger lives in real time: only the machine's clock says what is in the future",
        remedy: "nothing was taken back; leave --now out")
    }
    let store = try LedgerStore.open(
      LedgerConfiguration(
        directory: directory, program: "rewards \(ProgramVersion.text)",
        command: environment.command),
      LedgerStore.Dependencies(clock: { now }, randomBytes: environment.randomBytes),
      knownHeads: LedgerReading.headsElsewhere(configuration, opened: ledger))
    defer { store.close() }
    var report = Report(now: now)
    var taken = Taken()
    var again: [RecordBody] = []
    // The places of acts that are written again.
    var places: [UInt64: Int] = [:]
    try store.reader.scan { record in
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
      guard let body = try truth(of: record, now) else { return }
      if body.type == .operator { places[record.seq] = again.count }
      again.append(body)
    }
    report.again = again.count
    guard let through = report.through else { return (report, taken) }
    if taken.last == 0 { throw Self.refusal("the ledger was created while the clock was ahead") }
    if through > now.adding(seconds: Int64(configuration.maxIdleDays) * 86_400) {
      throw Self.refusal(
        "the last record is from \(through), more than \(configuration.maxIdleDays) days after the present, \(now)"
      )
    }
    let act = OperatorRecord(
      act: .undoFuture, subject: "\(taken.last)",
      what: "\(report.lines) lines through \(through), \(again.count) of them written again",
      reason: "rewards doctor --undo-future", actor: actor)
    let first = store.head.seq + 2
    for index in again.indices {
      guard let old = again[index].by, let place = places[old] else { continue }
      again[index].by = first + UInt64(place)
    }
    _ = try store.append([.operator(act)] + again)
    if let boot = environment.clock.boot, let elapsed = environment.clock.sinceBoot() {
      ClockMark(directory)?.write(ClockReading(wall: now, boot: elapsed), boot: boot)
    }
    return (report, taken)
  }

  /// Returns what is true in a line whatever the clock showed; nil for what was judged by the clock.
  private func truth(of record: Record, _ now: Instant) throws -> RecordBody? {
    switch record.body {
    case .evidence(var evidence):
      let seen = evidence.activity
      if seen.lastReported.isAhead(of: now) {
        throw Self.refusal(
          "line \(record.seq) records what \(evidence.user) did at \(max(seen.from, seen.to)), but the clock shows \(now)"
        )
      }
      if seen.isOpen {
        // A poll during an activity shows that it lasts until the poll, which was made no later than now.
        evidence.activity = Activity(
          kind: seen.kind, from: seen.from, to: max(seen.from, min(seen.to, now)), isOpen: true)
      }
      evidence.observedAt = min(evidence.observedAt, now)
      return .evidence(evidence)
    case .user(let user):
      // A move made by a close is made again. Only a right clock can say on which day a user joined, moved or left.
      if user.takesEffect != nil { return nil }
      throw Self.refusal(
        "line \(record.seq) changed the roster on a day taken from the wrong clock: \(user.user)")
    case .run(var run):
      // A night must run again because its closes are taken back, and so must skipped runs. Runs of other programs stay
      // done.
      if run.nominal > now || run.counts.contains(where: { $0.name == "closed" })
        || ["missed", "skipped"].contains(run.outcome)
      {
        return nil
      }
      run.actual = min(run.actual, now)
      return .run(run)
    case .grant(let grant):
      if grant.isPlanned || grant.isFor(.manual) { throw Self.act(record.seq) }
      return nil
    case .operator(let act):
      switch act.act {
      // A broadcast went out when it was made; again it would be another one.
      case .acceptClock, .confirmClose, .broadcast: return nil
      case .pause, .resume, .schedule, .bringIn, .rules, .limits, .signers, .sources, .request,
        .approve, .decline, .deliver, .excuse:
        return record.body
      case .release, .grant, .apply, .undoFuture, .forget, .remove: throw Self.act(record.seq)
      }
    case .excuse(let excuse):
      if excuse.withdraws != nil { throw Self.act(record.seq) }
      return record.body
    case .reversal: throw Self.act(record.seq)
    case .credit(let given):
      let effective = given.credit.effective
      if effective.isAhead(of: now) {
        throw Self.refusal(
          "line \(record.seq) is a credit from \(effective), but the clock shows \(now)")
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
        "nothing was taken back; wait until the clock has passed the last record, or restore a backup: rewards ledger restore DIR"
    )
  }
}
