package import AuditPage
package import CivilTime
package import Configuration
import Foundations
package import Ledger
import LedgerStore
import RewardRules
import Scheduling

/// Runs all checks on a data folder. Changes nothing; reads the ledger up to its last seal, whether or not a service holds it.
package struct Audit: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment
  private let days: ClosedRange<Day>?
  private let outside: [OutsideBalance]
  private let heads: [LedgerHead]
  private let stores: [StoreWitness.Report]
  /// The number of shares that users are divided into; nil chooses by the length of the ledger.
  var shares: Int?
  /// How many closed days of a user are kept before they are proved; nil chooses by the number of users.
  var daysHeld: Int?
  /// Whether to examine only what was appended after the last audit.
  private let sinceLast: Bool

  /// Creates an audit that ignores findings about days outside `days`. `outside` are balances to compare with, `heads` are
  /// seals that were noted elsewhere, `stores` is what was read from the app's.
  ///
  /// With `sinceLast` it continues from the checkpoint of the last audit and examines only what is new, whatever that affects,
  /// and segments that were changed; without a checkpoint it examines everything. An audit of all days that passes leaves a
  /// checkpoint.
  package init(
    _ configuration: Configuration, _ environment: RuntimeEnvironment,
    days: ClosedRange<Day>? = nil, outside: [OutsideBalance] = [], heads: [LedgerHead] = [],
    stores: [StoreWitness.Report] = [], sinceLast: Bool = false
  ) {
    self.sinceLast = sinceLast
    self.configuration = configuration
    self.environment = environment
    self.days = days
    self.outside = outside
    self.heads = heads
    self.stores = stores
  }

  /// Runs every check; on a damaged ledger, skips those that need whole lines.
  ///
  /// Throws ``LedgerStore/LedgerError`` when the ledger is missing or unreadable or the checkpoint is unusable, and errors
  /// about the configuration.
  package func run() async throws -> AuditReport {
    try await runOfShard().report
  }

  /// Runs every check; for one ledger of several, also returns what must agree with the others, nil when the ledger is damaged.
  package func runOfShard() async throws -> (report: AuditReport, standing: ShardStanding?) {
    let (report, pass, _) = try await examine(FindingList(days: days), countsFigures: false)
    return (report, pass?.standing)
  }

  /// Runs every check, and also returns many more findings, figures, and the records that the findings are about.
  package func runForPage() async throws -> AuditOutcome {
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
        figures.titles = counted.titles
        figures.streaks = counted.streaks
        figures.unknowns = counted.unknowns
        figures.sinks = pass.sinks
        figures.adopt(counted.course, pass.common)
        figures.deliveredAfter = SinkProgress.delays(configuration)
      }
      figures.stores = AuditMemory(configuration.directory).add(
        stores.map { StoreWitness.drift(of: $0, at: figures.origin.madeAt) })
      figures.totals.records = report.checks.first?.examined ?? 0
      figures.jobs = AuditFigures.Job.jobs(of: pass?.runs ?? [])
      var outcome = AuditOutcome(
        report: report, figures: figures, records: try FindingRecords.read(report, reader))
      // An audit of only some days has nothing to compare.
      if days == nil { outcome.previous = AuditMemory(configuration.directory).exchange(outcome) }
      return outcome
    }
  }

  /// Everything is read with one head; a damaged ledger may have none.
  private typealias Examined = (
    report: AuditReport, pass: AuditPass.Outcome?, reader: Result<LedgerReader, LedgerError>
  )

  private func examine(
    _ list: FindingList, countsFigures: Bool
  ) async throws -> Examined {
    let reader = try await BlockingThread(named: "rewards.audit").run {
      [directory = configuration.directory] in
      Result { () throws(LedgerError) in try LedgerReader.open(directory) }
    }
    let (checkpoint, start) =
      sinceLast ? try await startingPoint(reader.get()) : (nil, nil)
    // Covers more than the reader's head if the ledger has grown.
    let verification = try await LedgerReading.verify(
      configuration, heads: heads, since: checkpoint, opened: try? reader.get())
    let jobs = try JobFolder.read(configuration, zones: environment.zones)
    return try await BlockingThread(named: "rewards.audit").run {
      guard verification.isIntact else {
        return (leftOut(verification, since: checkpoint, "the ledger is damaged"), nil, reader)
      }
      let ledger = try reader.get()
      var pass = AuditPass(
        configuration: configuration, environment: environment, reader: ledger,
        snapshot: NewestSnapshot(of: ledger), jobs: jobs, list: list, outside: outside,
        countsFigures: countsFigures,
        shares: shares, daysHeld: daysHeld)
      pass.start = start
      pass.verified = days == nil ? verification : nil
      let outcome: AuditPass.Outcome
      do {
        try AuditPreconditions(configuration: configuration, environment: environment).check(
          pass.reader)
        outcome = try pass.run()
      } catch let error as LedgerError {
        // Correctly sealed lines may still not be valid records; a verification does not decode them.
        guard case .damaged(let damage) = error.kind else { throw error }
        return (
          leftOut(verification, damage, since: checkpoint, "a line cannot be read"), nil, reader
        )
      }
      let report = AuditReport(
        checks: integrity(verification, since: checkpoint, outcome.repeated) + outcome.checks
          + (stores.isEmpty ? [] : [StoreWitness.check(stores, list)]),
        waiting: outcome.waiting, coverage: outcome.coverage, byHand: outcome.byHand)
      return (report.passed ? leave(outcome.checkpoint, with: report) : report, outcome, reader)
    }
  }

  /// Returns the report on a ledger that allows only the first three checks, from the findings of the verification and `damage`.
  private func leftOut(
    _ verification: VerificationReport, _ damage: [Damage] = [], since checkpoint: AuditCheckpoint?,
    _ why: String
  ) -> AuditReport {
    AuditReport(
      checks: integrity(verification, damage, since: checkpoint, FindingList())
        + AuditPass.leftOut(why))
  }

  /// Writes a checkpoint. Failing to do so does not fail the audit; the next one only has more to do.
  private func leave(_ checkpoint: AuditCheckpoint?, with report: AuditReport) -> AuditReport {
    do {
      try checkpoint?.write(to: configuration.directory)
      return report
    } catch {
      var checks = report.checks
      checks[0].note = "the next audit cannot continue from here: \(error)"
      return AuditReport(
        checks: checks, waiting: report.waiting, coverage: report.coverage, byHand: report.byHand)
    }
  }

  /// Returns the checkpoint to continue from and the state there, or nils when there is none.
  private func startingPoint(
    _ reader: LedgerReader
  ) async throws -> (AuditCheckpoint?, AuditPass.Start?) {
    try await BlockingThread(named: "rewards.audit").run {
      // A whole but unreadable checkpoint is from another version: examine everything, as without one.
      guard let checkpoint = try AuditCheckpoint(configuration.directory, of: reader.ledger),
        try !reader.isUndone(checkpoint.head.seq),
        let state = try? StateSnapshot.read(checkpoint.payload)
      else { return (nil, nil) }
      return (checkpoint, AuditPass.Start(state: state, waiting: Set(checkpoint.waiting)))
    }
  }

  /// Returns checks 1 to 3 from the verification, `damage` and `repeated`, the keys that were granted before. The verification
  /// cannot find the latter two.
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
        // Where a line is missing or extra, the lines after it have other numbers.
        list.add(AuditReport.Finding(damage.description, seq: id == 1 ? nil : damage.seq))
      }
      return AuditReport.Check(id, name, examined: report.records, list)
    }
    var seals = check(1, "seals and sequence") { $0 != .foreignLine && $0 != .duplicateKey }
    let tail = report.damage.first { $0.kind == .unsealedTail }
    seals.note =
      [
        checkpoint.map { "an earlier audit checked everything up to \($0.head)" },
        heads.count > 1 ? "compared with \(heads.count) heads from elsewhere" : nil,
        tail.map { "\($0): skipped; a service is writing it now, or a crash or somebody left it" },
      ].listed
    return [
      seals, check(2, "record schemas") { $0 == .foreignLine },
      check(3, "unique keys", repeated) { $0 == .duplicateKey },
    ]
  }
}
