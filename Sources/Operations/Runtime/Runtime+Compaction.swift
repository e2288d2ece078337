public import LedgerStore
import Scheduling
import Threading

extension Runtime {
  /// Packs all segments but the newest `keeping`, one compaction at a time; throws ``LedgerStore/LedgerError``.
  public func compact(keeping: Int) async throws -> [LedgerCompaction.Packed] {
    let directory = directory
    return try await compactions.withLock {
      try await BlockingThread(named: "rewards.compact").run {
        try LedgerCompaction(directory).run(keeping: keeping)
      }
    }
  }
}
