import AuditPage
import CivilTime
import Configuration
import Engine
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// The checks that read records: one pass over the ledger with the users divided among threads, then the whole past of the
/// few users whose days a pass cannot prove.
struct AuditPass: Sendable {
  /// The findings, and what a page shows besides.
  struct Outcome: Sendable {
    let checks: [AuditReport.Check]
    let waiting: AuditReport.Waiting
    let coverage: AuditReport.Coverage
    let figures: FiguresCount?
    let common: CommonCount
    let sinks: [AuditFigures.Sink]
    let runs: [JobAudit.Finding]
    /// Repeated keys, which the verification of new lines alone cannot find.
    let repeated: FindingList
    /// The point from which the next audit may continue; nil when none was requested.
    let checkpoint: AuditCheckpoint?
    /// What must agree with the other ledgers; nil when there are none.
    let standing: ShardStanding?
    let byHand: GivenByHand
  }

  let configuration: Configuration
  let environment: RuntimeEnvironment
  let reader: LedgerReader
  /// The newest snapshot that reaches no further than the head.
  let snapshot: NewestSnapshot?
  let jobs: [Job]
  let list: FindingList
  let outside: [OutsideBalance]
  let countsFigures: Bool
  var shares: Int?
  var daysHeld: Int?
  /// The point up to which everything is proved; nil to read all of it.
  var start: Start?
  /// The preceding verification, when a checkpoint is to be made.
  var verified: VerificationReport?

  /// The point from which an audit continues.
  struct Start: Sendable {
    let state: LedgerState
    /// The users whose days were waiting then.
    let waiting: Set<String>
  }

  /// The number of lines below which a second thread does not pay off.
  private static let linesAThread: UInt64 = 20_000
  /// The maximum number of closed days in memory, of all users together: about a quarter of a gigabyte.
  private static let heldDays = 400_000
  /// The number of days of one user beyond which holding more saves nothing.
  private static let mostDaysHeld = 8

  /// Runs the checks. Blocks.
  func run() throws -> Outcome {
    let directory = configuration.directory
    // A snapshot from the proved part has no state to compare with.
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
    let users = Set(parts.flatMap(\.whole.keys))
    if !users.isEmpty {
      for part in parts { whole.counted.merge(part.whole) { first, _ in first } }
      whole.zoneChanges = commons.zoneChanges
      whole = try SharedReading(
        reader: reader, configuration: configuration, environment: environment
      ).read(whole, of: users)
    }
    for part in parts {
      whole.add(part.proved)
      whole.add(corrections: part.corrections)
    }
    var seen = parts.dropFirst().reduce(into: parts.first?.checks ?? checks) {
      $0.merge($1.checks)
    }
    seen.add(whole)
    seen.add(commons)
    whole.add(seen.words)
    var acts = seen.acts
    acts.merge(commons.acts(list))
    acts.conclude()
    whole.add(acts)
    if let start {
      try seen.addEarlier(reader, before: start.state.seq, sinks)
    }
    try seen.addFolders(of: sinks, in: directory)
    var given = seen.hands.given
    given.merge(commons.given)
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
      coverage: commons.coverage(of: list.days, head: "\(reader.head)"),
      figures: seen.figures, common: commons.count, sinks: seen.deliveries.figures,
      runs: commons.runs,
      repeated: whole.repeated, checkpoint: checkpoint,
      standing: configuration.shardID.map { ShardStanding($0, commons) }, byHand: given.given)
  }

  /// Returns the checkpoint at the head; nil when the parts do not add up to a whole.
  private func checkpoint(
    _ commons: AuditCommons, _ parts: [Part], _ waiting: [String]
  ) throws -> AuditCheckpoint? {
    guard let verified, let seal = commons.seal else { return nil }
    var state = commons.state
    for part in parts where !state.adoptAccounts(of: part.state) { return nil }
    state.apply(seal)
    return try AuditCheckpoint(
      at: reader, verified: verified, waiting: waiting.sorted(),
      payload: StateSnapshot.write(state))
  }

  /// Returns the checks as left out because of `why`.
  static func leftOut(_ why: String) -> [AuditReport.Check] {
    let list = FindingList()
    let checks = RecordChecks(
      list: list, sinks: [], outside: [], hands: nil, acts: ActCheck(list: list, .init()),
      derived: DerivedLineCheck(list: list, documents: [:]), now: .earliest, countsFigures: false)
    return
      (Rederivation(list: list).results + checks.results + [
        LinkCheck(list: list).concluded(), JobRunCheck.check([], list),
        SnapshotCheck.check(nil, isRight: nil, stranger: nil, list),
      ]).map { AuditReport.Check($0.id, $0.name, leftOut: why) }
  }

  private func emptyChecks(_ commons: AuditCommons, _ sinks: [SinkProgress]) -> RecordChecks {
    RecordChecks(
      list: list, sinks: sinks, outside: outside,
      hands: ManualActCheck.Terms(
        signed: commons.signedGifts, acts: commons.actTerms.acts, agreed: commons.agreed,
        approvals: BigAct.Approvals(commons.state.requests), people: commons.state.handLimits.by),
      acts: ActCheck(list: list, commons.actTerms),
      derived: DerivedLineCheck(list: list, documents: configuration.knownRules),
      now: environment.clock.now(), countsFigures: countsFigures)
  }

  /// The result for one share of the users.
  private struct Part: Sendable {
    let checks: RecordChecks
    let whole: [String: Day?]
    let proved: ProvedCounts
    let corrections: [GrantRecord]
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
      try reader.scan(.of(users), after: start?.state.seq ?? 0, threads: 1) { stream.add($0) }
      stream.finish()
      return Part(
        checks: stream.finishedChecks, whole: stream.whole, proved: stream.proved,
        corrections: stream.corrections,
        snapshotStranger: stream.snapshotStranger,
        state: verified == nil ? LedgerState() : stream.state)
    }
  }
}
