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
    let sinks: [AuditFigures.Sink]
    let runs: [JobAudit.Finding]
  }

  let configuration: Configuration
  let environment: RuntimeEnvironment
  let jobs: [Job]
  let list: FindingList
  let outside: [OutsideBalance]
  let countsFigures: Bool
  var shares: Int?
  var daysHeld: Int?

  private static let threads = 2
  /// Fewer lines are not worth a second thread.
  private static let linesAThread: UInt64 = 20_000
  /// Closed days that are held at once, of all users together: some half a gigabyte at most.
  private static let heldDays = 800_000
  /// More days of one user at once save nothing.
  private static let mostDaysHeld = 8

  /// Makes the checks. Blocks.
  func run() throws -> Outcome {
    let directory = DataDirectory(configuration.data)
    // Read before the ledger, which may grow meanwhile.
    let snapshot = NewestSnapshot(directory)
    let reader = try LedgerReader.open(directory)
    let now = environment.clock.now()
    let commons = try AuditCommons(
      reader, jobs: jobs, zones: environment.zones, now: now, snapshot: snapshot)
    var engine: EngineTerms?
    if commons.state.rules.current != nil {
      try commons.state.requireRules()
      engine = try EngineTerms(configuration, variables: environment.variables)
    }
    let days = Self.heldDays / max(1, commons.state.accounts.count)
    let terms = AuditStream.Terms(
      commons: commons, engine: engine, now: now, snapshot: snapshot,
      daysHeld: daysHeld ?? max(1, min(Self.mostDaysHeld, days)))
    let parts = try stream(reader, terms)
    var whole = WholePasts(
      list: list, now: now, countsFigures: countsFigures, checksKeys: false)
    let users = Set(parts.flatMap(\.whole))
    if !users.isEmpty {
      whole = try SharedReading(
        reader: reader, configuration: configuration, environment: environment
      ).read(whole, of: users)
    }
    for part in parts { whole.add(part.proved) }
    var checks = parts.dropFirst().reduce(into: parts.first?.checks ?? emptyChecks) {
      $0.merge($1.checks)
    }
    checks.add(whole)
    let waiting = whole.rederivation.waiting
    return Outcome(
      checks: whole.rederivation.results + checks.results + [
        whole.links.concluded(), JobRunCheck.check(commons.runs, list),
        SnapshotCheck.check(
          snapshot, isRight: commons.isSnapshotRight,
          stranger: parts.compactMap(\.snapshotStranger).first, list),
      ],
      waiting: AuditReport.Waiting(count: waiting.count, since: waiting.since),
      figures: checks.figures, sinks: checks.deliveries.figures, runs: commons.runs)
  }

  /// The checks, of which none was made because of `why`.
  static func leftOut(_ why: String) -> [AuditReport.Check] {
    let list = FindingList()
    let checks = RecordChecks(
      list: list, sinks: [], outside: [], now: .earliest, countsFigures: false)
    return
      (Rederivation(list: list).results + checks.results + [
        LinkCheck(list: list).concluded(), JobRunCheck.check([], list),
        SnapshotCheck.check(nil, isRight: nil, stranger: nil, list),
      ]).map { AuditReport.Check($0.id, $0.name, leftOut: why) }
  }

  private var emptyChecks: RecordChecks {
    RecordChecks(
      list: list, sinks: SinkProgress.all(configuration), outside: outside,
      now: environment.clock.now(), countsFigures: countsFigures)
  }

  /// What one share of the users came to.
  private struct Part: Sendable {
    let checks: RecordChecks
    let whole: [String]
    let proved: ProvedCounts
    let snapshotStranger: String?
  }

  private func stream(_ reader: LedgerReader, _ terms: AuditStream.Terms) throws -> [Part] {
    let count = shares ?? (reader.head.seq < Self.linesAThread ? 1 : Self.threads)
    let checks = emptyChecks
    return try Concurrently.map(count, threads: Self.threads) { number in
      var stream = AuditStream(terms, checks, after: LedgerState(.recentPasts))
      try reader.readRecords(of: .share(number, of: count)) { stream.add($0) }
      stream.finish()
      return Part(
        checks: stream.finishedChecks, whole: stream.whole, proved: stream.proved,
        snapshotStranger: stream.snapshotStranger)
    }
  }
}
