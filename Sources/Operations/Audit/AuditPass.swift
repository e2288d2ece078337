import AuditReport
import CivilTime
import Configuration
import Engine
import Ledger
import LedgerStore
import Scheduling
import Threading

/// The checks that read records: one pass over the ledger, users divided among threads, and then the whole past of those few
/// whose days a pass cannot prove.
struct AuditPass: Sendable {
  /// What was found, and what a page shows besides.
  struct Outcome: Sendable {
    let checks: [AuditReport.Check]
    let waiting: AuditReport.Waiting
    let figures: FiguresCount?
    let common: CommonCount
    let sinks: [AuditFigures.Sink]
    let runs: [JobAudit.Finding]
    /// Keys that were granted before, which the verification of new lines alone cannot see.
    let repeated: FindingList
    /// From where the next audit may go on; nil when nobody asked for it.
    let checkpoint: AuditCheckpoint?
    /// What must fit the other ledgers; nil where there are none.
    let standing: ShardStanding?
  }

  let configuration: Configuration
  let environment: RuntimeEnvironment
  let reader: LedgerReader
  /// Read before the ledger was opened.
  let snapshot: NewestSnapshot?
  let jobs: [Job]
  let list: FindingList
  let outside: [OutsideBalance]
  let countsFigures: Bool
  var shares: Int?
  var daysHeld: Int?
  /// Up to where everything is proved; nil to read all of it.
  var start: Start?
  /// The verification that went before, when a checkpoint is to be made of what is found.
  var verified: VerificationReport?

  /// Where an audit goes on.
  struct Start: Sendable {
    let state: LedgerState
    /// Users whose days waited then.
    let waiting: Set<String>
  }

  /// Fewer lines are not worth a second thread.
  private static let linesAThread: UInt64 = 20_000
  /// Closed days that are held at once, of all users together: some quarter of a gigabyte.
  private static let heldDays = 400_000
  /// More days of one user at once save nothing.
  private static let mostDaysHeld = 8

  /// Makes the checks. Blocks.
  func run() throws -> Outcome {
    let directory = configuration.directory
    // One of the part that is proved has no state to be compared with.
    var snapshot = snapshot
    if let found = snapshot, let start, found.head.seq < start.state.seq { snapshot = nil }
    if let found = snapshot, try reader.isUndone(found.head.seq) { snapshot = nil }
    let now = environment.clock.now()
    let commons = try AuditCommons(
      reader, jobs: jobs, zones: environment.zones, now: now, snapshot: snapshot,
      after: start?.state)
    var engine: EngineTerms?
    if commons.state.rules.current != nil {
      try commons.state.requireRules()
      engine = try EngineTerms(configuration, variables: environment.variables)
    }
    let days = Self.heldDays / max(1, commons.state.accounts.count)
    let terms = AuditStream.Terms(
      commons: commons, engine: engine, now: now, snapshot: snapshot, zones: environment.zones,
      daysHeld: daysHeld ?? max(1, min(Self.mostDaysHeld, days)))
    let sinks = SinkProgress.all(configuration)
    let checks = emptyChecks(commons, sinks)
    let parts = try stream(terms, checks)
    var whole = WholePasts(
      list: list, now: now, countsFigures: countsFigures, checksKeys: start != nil)
    let users = Set(parts.flatMap(\.whole))
    if !users.isEmpty {
      whole = try SharedReading(
        reader: reader, configuration: configuration, environment: environment
      ).read(whole, of: users)
    }
    for part in parts { whole.add(part.proved) }
    var seen = parts.dropFirst().reduce(into: parts.first?.checks ?? checks) {
      $0.merge($1.checks)
    }
    seen.add(whole)
    whole.add(seen.words)
    if let start {
      try seen.addEarlier(reader, before: start.state.seq, sinks)
    }
    try seen.addFolders(of: sinks, in: directory)
    let waiting = whole.rederivation.waiting
    let checkpoint = try self.checkpoint(commons, parts, whole.waiting)
    return Outcome(
      checks: whole.rederivation.results + seen.results + [
        whole.links.concluded(), JobRunCheck.check(commons.runs, list),
        SnapshotCheck.check(
          snapshot, isRight: commons.isSnapshotRight,
          stranger: parts.compactMap(\.snapshotStranger).first, list),
      ],
      waiting: AuditReport.Waiting(count: waiting.count, since: waiting.since),
      figures: seen.figures, common: commons.count, sinks: seen.deliveries.figures,
      runs: commons.runs,
      repeated: whole.repeated, checkpoint: checkpoint,
      standing: configuration.share.map { ShardStanding($0, commons) })
  }

  /// The checkpoint at the head; nil when the parts make no whole.
  private func checkpoint(
    _ commons: AuditCommons, _ parts: [Part], _ waiting: [String]
  ) throws -> AuditCheckpoint? {
    guard let verified, let seal = commons.seal else { return nil }
    var state = commons.state
    for part in parts where !state.takeAccounts(of: part.state) { return nil }
    state.apply(seal)
    return try AuditCheckpoint(
      at: reader, verified: verified, waiting: waiting.sorted(),
      payload: StateSnapshot.write(state))
  }

  /// The checks, of which none was made because of `why`.
  static func leftOut(_ why: String) -> [AuditReport.Check] {
    let list = FindingList()
    let checks = RecordChecks(
      list: list, sinks: [], outside: [], hands: nil, now: .earliest, countsFigures: false)
    return
      (Rederivation(list: list).results + checks.results + [
        LinkCheck(list: list).concluded(), JobRunCheck.check([], list),
        SnapshotCheck.check(nil, isRight: nil, stranger: nil, list),
      ]).map { AuditReport.Check($0.id, $0.name, leftOut: why) }
  }

  private func emptyChecks(_ commons: AuditCommons, _ sinks: [SinkProgress]) -> RecordChecks {
    RecordChecks(
      list: list, sinks: sinks, outside: outside,
      hands: HandActCheck.Terms(
        signed: commons.signedGifts, approvals: BigAct.Approvals(commons.state.requests),
        limits: HandLimits(configuration)),
      now: environment.clock.now(), countsFigures: countsFigures)
  }

  /// What one share of the users came to.
  private struct Part: Sendable {
    let checks: RecordChecks
    let whole: [String]
    let proved: ProvedCounts
    let snapshotStranger: String?
    let state: LedgerState
  }

  private func stream(
    _ terms: AuditStream.Terms, _ checks: RecordChecks
  ) throws -> [Part] {
    let count = shares ?? (reader.head.seq < Self.linesAThread ? 1 : Concurrently.threads)
    return try Concurrently.map(count, threads: Concurrently.threads) { number in
      let users = UserChoice.share(number, of: count)
      var state = LedgerState(.recentPasts)
      if let start { state = try LedgerState(start.state) { users.includes($0) } }
      var stream = AuditStream(terms, checks, after: state)
      if let start {
        stream.readWhole {
          $0.stopped != nil || start.waiting.contains($0.id)
            || terms.commons.concernsPast(of: $0, after: start.state)
        }
      }
      try reader.readRecords(.of(users), after: start?.state.seq ?? 0) { stream.add($0) }
      stream.finish()
      return Part(
        checks: stream.finishedChecks, whole: stream.whole, proved: stream.proved,
        snapshotStranger: stream.snapshotStranger,
        state: verified == nil ? LedgerState() : stream.state)
    }
  }
}
