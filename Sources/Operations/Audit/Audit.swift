public import AuditReport
public import CivilTime
public import Configuration
import Ledger
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
  /// Into how many shares users are divided; nil for what the ledger's length asks for.
  var shares: Int?
  /// How many closed days of a user are held before they are proved; nil for what the number of users asks for.
  var daysHeld: Int?

  /// An audit; findings about other days than `days` do not count. `outside` are balances to compare with.
  public init(
    _ configuration: Configuration, _ environment: RuntimeEnvironment,
    days: ClosedRange<Day>? = nil, outside: [OutsideBalance] = []
  ) {
    self.configuration = configuration
    self.environment = environment
    self.days = days
    self.outside = outside
  }

  /// Makes every check; those that need whole lines are left out of a damaged ledger.
  ///
  /// Throws ``LedgerStore/LedgerError`` when there is no ledger or it cannot be read, and what is wrong with the
  /// configuration.
  public func run() async throws -> AuditReport {
    try await examine(FindingList(days: days), countsFigures: false).report
  }

  /// The same with many more findings, figures, and the records that findings are about.
  public func runForPage() async throws -> AuditOutcome {
    let list = FindingList(days: days, limit: FindingList.pageLimit)
    let (report, pass) = try await examine(list, countsFigures: true)
    return try await BlockingThread(named: "rewards.audit").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      var figures = AuditFigures(
        origin: AuditFigures.Origin(
          ledger: reader.ledger, head: "\(reader.head)", tzdata: environment.zones.version,
          program: ProgramVersion.text, madeAt: Instant(seconds: environment.clock.now().seconds)))
      if let pass, let counted = pass.figures {
        figures.totals = counted.totals
        figures.span = counted.span
        figures.days = counted.days
        figures.streaks = counted.streaks
        figures.unknowns = counted.unknowns
        figures.sinks = pass.sinks
      }
      figures.totals.records = report.checks.first?.examined ?? 0
      figures.jobs = AuditFigures.Job.jobs(of: pass?.runs ?? [])
      return AuditOutcome(
        report: report, figures: figures, records: try FindingRecords.read(report, reader))
    }
  }

  private typealias Examined = (report: AuditReport, pass: AuditPass.Outcome?)

  private func examine(
    _ list: FindingList, countsFigures: Bool
  ) async throws -> Examined {
    let verification = try await LedgerReading.verify(configuration, heads: [])
    let jobs = try JobFolder.read(configuration.jobs, zones: environment.zones)
    return try await BlockingThread(named: "rewards.audit").run {
      let checks = integrity(verification)
      guard verification.isIntact else {
        return (AuditReport(checks: checks + AuditPass.leftOut("the ledger is damaged")), nil)
      }
      try AuditGround(configuration: configuration, environment: environment)
        .check(LedgerReader.open(DataDirectory(configuration.data)))
      let pass = AuditPass(
        configuration: configuration, environment: environment, jobs: jobs, list: list,
        outside: outside, countsFigures: countsFigures, shares: shares, daysHeld: daysHeld)
      let outcome = try pass.run()
      return (AuditReport(checks: checks + outcome.checks, waiting: outcome.waiting), outcome)
    }
  }

  /// Checks 1 to 3, which the verification makes.
  private func integrity(_ report: VerificationReport) -> [AuditReport.Check] {
    func check(_ id: Int, _ name: String, _ isOfThis: (Damage.Kind) -> Bool) -> AuditReport.Check {
      var list = FindingList()
      for damage in report.damage where isOfThis(damage.kind) && damage.kind != .unsealedTail {
        list.add(AuditReport.Finding(damage.description))
      }
      return AuditReport.Check(id, name, examined: report.records, list)
    }
    return [
      check(1, "seals and sequence") { $0 != .foreignLine && $0 != .duplicateKey },
      check(2, "every line against its schema") { $0 == .foreignLine },
      check(3, "keys unique") { $0 == .duplicateKey },
    ]
  }
}
