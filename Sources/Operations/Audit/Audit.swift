public import CivilTime
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import Threading

/// All checks over a data folder. Changes nothing; reads the ledger up to its last seal, whether a service holds it or not.
public struct Audit: Sendable {
  private let configuration: Configuration
  private let surroundings: WorkplaceSurroundings
  private let days: ClosedRange<Day>?
  private let outside: [OutsideBalance]?

  /// An audit; findings about other days than `days` do not count. `outside` are balances to compare with.
  public init(
    _ configuration: Configuration, _ surroundings: WorkplaceSurroundings,
    days: ClosedRange<Day>? = nil, outside: [OutsideBalance]? = nil
  ) {
    self.configuration = configuration
    self.surroundings = surroundings
    self.days = days
    self.outside = outside
  }

  /// Makes every check; those that need whole lines are left out of a damaged ledger.
  ///
  /// Throws ``LedgerStore/LedgerError`` when there is no ledger or it cannot be read, and what is wrong with the
  /// configuration.
  public func run() async throws -> AuditReport {
    let verification = try await LedgerReading.verify(configuration, heads: [])
    let jobs = try JobFolder.read(configuration.jobs, zones: surroundings.zones)
    return try await BlockingThread(named: "rewards.audit").run {
      var checks = integrity(verification)
      guard verification.isIntact else {
        checks += Self.names.map {
          AuditReport.Check(
            id: $0.id, name: $0.name, examined: 0, found: 0, findings: [],
            leftOut: "the ledger is damaged")
        }
        return AuditReport(checks: checks.sorted { $0.id < $1.id })
      }
      checks += try passes(jobs)
      return AuditReport(checks: checks.sorted { $0.id < $1.id })
    }
  }

  /// The checks that read records.
  private static let names: [(id: Int, name: String)] =
    Rederivation(days: nil).results.map { ($0.id, $0.name) }
    + [
      (CloseSumCheck.id, CloseSumCheck.name), (LinkCheck.id, LinkCheck.name),
      (DeliveryCheck.id, DeliveryCheck.name), (JobRunCheck.id, JobRunCheck.name),
      (SnapshotCheck.id, SnapshotCheck.name), (BalanceCheck.id, BalanceCheck.name),
      (OutlierCheck.id, OutlierCheck.name),
    ]

  /// Checks 1 to 3, which the verification makes.
  private func integrity(_ report: VerificationReport) -> [AuditReport.Check] {
    func check(_ id: Int, _ name: String, _ isOfThis: (Damage.Kind) -> Bool) -> AuditReport.Check {
      var list = FindingList(days: nil)
      for damage in report.damage where isOfThis(damage.kind) && damage.kind != .unsealedTail {
        list.add(AuditReport.Finding(damage.description))
      }
      return AuditReport.Check(
        id: id, name: name, examined: report.records, found: list.found, findings: list.first)
    }
    return [
      check(1, "seals and sequence") { $0 != .foreignLine && $0 != .duplicateKey },
      check(2, "every line against its schema") { $0 == .foreignLine },
      check(3, "keys unique") { $0 == .duplicateKey },
    ]
  }

  private func passes(_ jobs: [Job]) throws -> [AuditReport.Check] {
    let directory = DataDirectory(configuration.data)
    let snapshot = SnapshotHeads.newest(directory)
    let reader = try LedgerReader.open(directory)
    let now = surroundings.clock.now()
    let list = FindingList(days: days)
    let sinks = RelayCursors.read(configuration).map {
      DeliveryCheck.Sink(name: $0.sink, seq: $0.seq)
    }
    var checks: [any AuditCheck] = [
      CloseSumCheck(list: list), LinkCheck(list: list), OutlierCheck(list: list),
      DeliveryCheck(list: list, sinks: sinks, now: now),
      JobRunCheck(list: list, jobs: jobs, zones: surroundings.zones, now: now),
      SnapshotCheck(list: list, snapshot: snapshot),
      BalanceCheck(list: list, outside: outside ?? []),
    ]
    var book = Book()
    try reader.readRecords(after: 0) { record in
      for index in checks.indices { checks[index].take(record, before: book) }
      // A book stands at its last record, not at the seal behind it.
      if case .seal = record.body { return }
      book.apply(record)
    }
    for index in checks.indices { checks[index].finish(book) }
    var rederivation = Rederivation(days: days)
    let pasts = PastReading(
      reader: reader, configuration: configuration, surroundings: surroundings)
    try pasts.each(of: book.accounts.map(\.id)) { past, context in
      rederivation.examine(past, context)
    }
    return checks.map(\.result) + rederivation.results
  }
}
