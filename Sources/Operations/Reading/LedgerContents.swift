public import Ledger
public import LedgerStore
import Threading

/// Counts what is in a ledger.
public struct LedgerContents: Sendable {
  /// All lines up to the last seal.
  public let counts: LineCounts
  /// The last seal.
  public let head: LedgerHead

  /// Streams through the ledger of a data folder; throws ``LedgerStore/LedgerError``.
  public static func read(_ directory: DataDirectory) async throws -> LedgerContents {
    try await BlockingThread(named: "rewards.stats").run {
      let reader = try LedgerReader.open(directory)
      return LedgerContents(counts: try reader.countLines(), head: reader.head)
    }
  }
}
