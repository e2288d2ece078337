import CivilTime
import Foundations
import Ledger
import LedgerStore

/// A ledger on this machine's disk.
enum BenchmarkLedger {
  static func open(
    _ directory: DataDirectory, clock: @escaping @Sendable () -> Instant
  ) throws(LedgerError) -> LedgerStore {
    try LedgerStore.open(
      LedgerConfiguration(directory: directory, program: "benchmarks", command: "benchmarks"),
      LedgerStore.Dependencies(
        clock: clock, randomBytes: { [UInt8](repeating: 7, count: $0) }))
  }

  /// Fills a ledger with batches of `group` records until it has about `records`.
  static func fill(_ store: LedgerStore, records: Int, group: Int) async throws {
    try await BlockingThread(named: "benchmarks.fill").run {
      var mix = RecordMix()
      for _ in 0..<(records / (group + 1)) { _ = try store.append(mix.next(group)) }
    }
  }
}
