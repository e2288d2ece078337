public import CivilTime
public import Ledger
public import LedgerStore
import RewardRules
import Threading

/// Counts what is in a ledger.
public struct LedgerContents: Sendable {
  /// Records by type, seals included.
  public private(set) var records: [String: Int] = [:]
  /// Grants by mission, adjustments included.
  public private(set) var grants: [String: Int] = [:]
  /// Points of all grants less what was reversed.
  public private(set) var points: Int64 = 0
  /// Exp of the same.
  public private(set) var exp: Int64 = 0
  /// When the first and the last record were made; nil for an empty ledger.
  public private(set) var span: (first: Instant, last: Instant)?
  /// The last seal.
  public private(set) var head = LedgerHead.origin

  /// Streams through the ledger of a data folder; throws ``LedgerStore/LedgerError``.
  public static func read(_ directory: DataDirectory) async throws -> LedgerContents {
    try await BlockingThread(named: "rewards.stats").run {
      let reader = try LedgerReader.open(directory)
      var statistics = LedgerContents()
      try reader.readRecords(after: 0) { statistics.add($0) }
      statistics.head = reader.head
      return statistics
    }
  }

  /// All records.
  public var recordCount: Int { records.values.reduce(0, +) }

  private mutating func add(_ record: Record) {
    records[record.body.type.rawValue, default: 0] += 1
    span = (span?.first ?? record.at, record.at)
    if case .grant(let grant) = record.body {
      grants[grant.mission, default: 0] += 1
      points += grant.reward.points
      exp += grant.reward.exp
    }
  }
}
