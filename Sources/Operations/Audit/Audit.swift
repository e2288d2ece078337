public import AuditReport
public import CivilTime
public import Configuration
public import Ledger
import LedgerStore
import RewardRules
import Scheduling
import Threading

/// All checks over a data folder. Changes nothing; reads the ledger up to its last seal, whether a service holds it or not.
public struct Audit: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment
  private let days: ClosedRange<Day>?
  private let outside: [OutsideBalance]
  private let heads: [LedgerHead]
  /// Into how many shares users are divided; nil for what the ledger's length asks for.
  var shares: Int?
  /// How many closed days of a user are held before they are proved; nil for what the number of users asks for.
  var daysHeld: Int?
  /// Whether only what came after the last audit is looked at.
  private let sinceLast: Bool

  /// An audit; findings about other days than `days` do not count. `outside` are balances to compare with, `heads` seals that
  /// somebody noted elsewhere.
  ///
  /// With `sinceLast` it goes on from the checkpoint that the last audit has left, and looks at what is new since, at what
  /// that concerns, and at segments that were changed; without a checkpoint at everything. An audit of all days that passes
  /// leaves a checkpoint.
  public init(
    _ configuration: Configuration, _ environment: RuntimeEnvironment,
    days: ClosedRange<Day>? = nil, outside: [OutsideBalance] = [], heads: [LedgerHead] = [],
    sinceLast: Bool = false
  ) {
    self.sinceLast = sinceLast
    self.configuration = configuration
    self.environment = environment
    self.days = days
    self.outside = outside
    self.heads = heads
  }

  /// Makes every check; those that need whole lines are left out of a damaged ledger.
  ///
  /// Throws ``LedgerStore/LedgerError`` when there is no ledger or it cannot be read, or when the checkpoint cannot be used;
  /// and what is wrong with the configuration.
  public func run() async throws -> AuditReport {
    try await runOfShard().report
  }

  /// The same; of one of several ledgers also what must fit the others, nil when it is damaged.
  public func runOfShard() async throws -> (report: AuditReport, standing: ShardStanding?) {
    let (report, pass, _) = try await examine(FindingList(days: days), countsFigures: false)
    return (report, pass?.standing)
  }

  /// The same with many more findings, figures, and the records that findings are about.
  public func runForPage() async throws -> AuditOutcome {
    let list = FindingList(days: days, limit: FindingList.pageLimit)
    let (report, pass, reader) = try await examine(list, countsFigures: true)
    return try await BlockingThread(named: "rewards.audit").run {
      let reader = try reader.get()
      var figures = AuditFigures(
        origin: AuditFigures.Origin(
          ledger: reader.ledger, head: "\(reader.head)",
          tzdata: environment.zones.version,
          program: ProgramVersion.text, madeAt: Instant(seconds: environment.clock.now().seconds)))
      if let pass, let counted = pass.figures {
        figures.totals = counted.totals
        figures.span = counted.span
        figures.days = counted.days
        figures.streaks = counted.streaks
        figures.unknowns = counted.unknowns
        figures.sinks = pass.sinks
        figures.take(counted.course, pass.common)
        figures.deliveredAfter = SinkProgress.delays(configuration)
      }
      figures.totals.records = report.checks.first?.examined ?? 0
      figures.jobs = AuditFigures.Job.jobs(of: pass?.runs ?? [])
      var outcome = AuditOutcome(
        report: report, figures: figures, records: try FindingRecords.read(report, reader))
      // Of some days only nothing could be compared.
      if days == nil { outcome.previous = AuditMemory(configuration.directory).exchange(outcome) }
      return outcome
    }
  }

  /// All of it is read with one head; a damaged ledger may have none.
  private typealias Examined = (
    report: AuditReport, pass: AuditPass.Outcome?, reader: Result<LedgerReader, LedgerError>
  )

  private func examine(
    _ list: FindingList, countsFigures: Bool
  ) async throws -> Examined {
    let (snapshot, reader) = try await BlockingThread(named: "rewards.audit").run {
      [directory = configuration.directory] in
      // Read before the ledger, which may grow meanwhile.
      let snapshot = NewestSnapshot(directory)
      return (
        snapshot, Result { () throws(LedgerError) in try LedgerReader.open(directory) }
      )
    }
    let (checkpoint, start) =
      sinceLast ? try await startingPoint(reader.get()) : (nil, nil)
    // Reaches behind the reader's head where the ledger has grown.
    let verification = try await LedgerReading.verify(
      configuration, heads: heads, since: checkpoint)
    let jobs = try JobFolder.read(configuration, zones: environment.zones)
    return try await BlockingThread(named: "rewards.audit").run {
      guard verification.isIntact else {
        return (leftOut(verification, since: checkpoint, "the ledger is damaged"), nil, reader)
      }
      var pass = AuditPass(
        configuration: configuration, environment: environment, reader: try reader.get(),
        snapshot: snapshot, jobs: jobs, list: list, outside: outside, countsFigures: countsFigures, shares: shares, daysHeld: daysHeld)
      pass.start = start
      pass.verified = days == nil ? verification : nil
      let outcome: AuditPass.Outcome
      do {
        try AuditGround(configuration: configuration, environment: environment).check(pass.reader)
        outcome = try pass.run()
      } catch let error as LedgerError {
        // Sealed as they should be, lines may still say what no record says: a verification does not read them.
        guard case .damaged(let damage) = error.kind else { throw error }
        return (
          leftOut(verification, damage, since: checkpoint, "a line cannot be read"), nil, reader
        )
      }
      let report = AuditReport(
        checks: integrity(verification, since: checkpoint, outcome.repeated) + outcome.checks,
        waiting: outcome.waiting)
      return (report.passed ? leave(outcome.checkpoint, with: report) : report, outcome, reader)
    }
  }

  /// The report on a ledger of which only the first three checks can be made: of what the verification has found, and `damage`.
  private func leftOut(
    _ verification: VerificationReport, _ damage: [Damage] = [], since checkpoint: AuditCheckpoint?,
    _ why: String
  ) -> AuditReport {
    AuditReport(
      checks: integrity(verification, damage, since: checkpoint, FindingList())
        + AuditPass.leftOut(why))
  }

  /// Leaves a checkpoint. That it cannot be written makes the audit no worse: the next one has more to do.
  private func leave(_ checkpoint: AuditCheckpoint?, with report: AuditReport) -> AuditReport {
    do {
      try checkpoint?.write(to: configuration.directory)
      return report
    } catch {
      var checks = report.checks
      checks[0].note = "the next audit cannot go on from here: \(error)"
      return AuditReport(checks: checks, waiting: report.waiting)
    }
  }

  /// The checkpoint to go on from, and the state there; nothing when there is none.
  private func startingPoint(
    _ reader: LedgerReader
  ) async throws -> (AuditCheckpoint?, AuditPass.Start?) {
    try await BlockingThread(named: "rewards.audit").run {
      // What is whole and cannot be read was written by another version: then everything is looked at, as without one.
      guard let checkpoint = try AuditCheckpoint(configuration.directory, of: reader.ledger),
        try !reader.isUndone(checkpoint.head.seq),
        let state = try? StateSnapshot.read(checkpoint.payload)
      else { return (nil, nil) }
      return (checkpoint, AuditPass.Start(state: state, waiting: Set(checkpoint.waiting)))
    }
  }

  /// Checks 1 to 3, which the verification makes; `damage` and `repeated`, keys that were granted before, are what it cannot know.
  private func integrity(
    _ report: VerificationReport, _ damage: [Damage] = [], since checkpoint: AuditCheckpoint?,
    _ repeated: FindingList
  ) -> [AuditReport.Check] {
    func check(
      _ id: Int, _ name: String, _ list: FindingList = FindingList(),
      _ isOfThis: (Damage.Kind) -> Bool
    ) -> AuditReport.Check {
      var list = list
      for damage in report.damage + damage
      where isOfThis(damage.kind) && damage.kind != .unsealedTail {
        // Where a line is missing or one too many, those behind it have other numbers.
        list.add(AuditReport.Finding(damage.description, seq: id == 1 ? nil : damage.seq))
      }
      return AuditReport.Check(id, name, examined: report.records, list)
    }
    var seals = check(1, "seals and sequence") { $0 != .foreignLine && $0 != .duplicateKey }
    let tail = report.damage.first { $0.kind == .unsealedTail }
    seals.note =
      [
        checkpoint.map { "everything up to \($0.head) was proved before" },
        tail.map { "\($0): passed over; being written now, or left by a crash or by somebody" },
      ].listed
    return [
      seals, check(2, "every line against its schema") { $0 == .foreignLine },
      check(3, "keys unique", repeated) { $0 == .duplicateKey },
    ]
  }
}
