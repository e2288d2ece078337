import CivilTime
import Digests
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Works out what the past should be. Changes nothing; reads the ledger up to its last seal, whether a service holds it
/// or not.
public struct BackfillPlanner: Sendable {
  private let configuration: Configuration
  private let surroundings: WorkplaceSurroundings

  /// A planner over the ledger of this configuration.
  public init(_ configuration: Configuration, _ surroundings: WorkplaceSurroundings) {
    self.configuration = configuration
    self.surroundings = surroundings
  }

  /// The plan for `order`; the same for the same ledger. Throws ``LedgerStore/LedgerError`` or ``SecretError``.
  public func plan(_ order: BackfillOrder) async throws -> BackfillPlan {
    try await BlockingThread(named: "rewards.backfill").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      let id = Self.id(of: order, ledger: reader.ledger, head: reader.head)
      let backfills = try backfills(order, id: id, reader: reader)
      return BackfillPlan(
        id: id, ledger: reader.ledger, head: reader.head, order: order, backfills: backfills)
    }
  }

  /// What a plan of the same id would hold for its users by now: to be compared before it is applied.
  func backfills(again plan: BackfillPlan) async throws -> [UserBackfill] {
    let users = Set(plan.users.map(\.user))
    return try await BlockingThread(named: "rewards.backfill").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      return try backfills(of: users, plan.order, id: plan.id, reader: reader)
    }
  }

  private func backfills(
    _ order: BackfillOrder, id: String, reader: LedgerReader
  ) throws -> [UserBackfill] {
    var finder = LateFinder()
    try reader.readRecords(after: 0) { finder.apply($0) }
    let users = order.users.isEmpty ? finder.users : finder.users.intersection(order.users)
    return try backfills(of: users, order, id: id, reader: reader)
      .filter { !$0.records.isEmpty || !$0.issues.isEmpty }
  }

  private func backfills(
    of users: Set<String>, _ order: BackfillOrder, id: String, reader: LedgerReader
  ) throws -> [UserBackfill] {
    var backfills: [UserBackfill] = []
    let pasts = PastReading(
      reader: reader, configuration: configuration, surroundings: surroundings)
    try pasts.each(of: users.sorted()) { past, context in
      backfills.append(
        UserBackfill(
          past, context: context, range: order.days, plan: id, clawsBack: order.clawsBack))
    }
    return backfills
  }

  private static func id(of order: BackfillOrder, ledger: String, head: LedgerHead) -> String {
    let days = order.days
    let text =
      "\(ledger) \(head) \(days.lowerBound) \(days.upperBound) \(order.clawsBack)"
      + order.users.sorted().map { " \($0)" }.joined()
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(12))
  }
}
