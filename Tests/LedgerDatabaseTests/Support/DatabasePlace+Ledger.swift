import CivilTime
import Ledger
import LedgerDatabase
import LedgerStore
import RewardRules
import TestSupport

extension DatabasePlace {
  /// Opens the shard's ledger for writing.
  func open(_ files: DatabaseFiles, segmentBytes: Int? = nil) throws -> LedgerStore {
    var configuration = LedgerConfiguration(
      directory: DataDirectory(folder, in: files), program: "rewards test", command: "rewards serve"
    )
    if let segmentBytes { configuration.segmentLimitBytes = segmentBytes }
    return try LedgerStore.open(
      configuration,
      LedgerStore.Dependencies(
        clock: { Instant(seconds: 1_795_186_799) },
        randomBytes: { Array(repeating: 0xAB, count: $0) }))
  }

  /// Runs a statement on the shard's rows, which it calls `#`.
  func change(_ statement: String) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement(statement.replacing("#", with: "shard = \(shard)")), within: 120)
    }
  }

  /// A grant of nothing under a key.
  static func grant(_ key: String) -> RecordBody {
    .grant(
      GrantRecord(
        key: key, user: String(key.prefix { $0 != "/" }), day: Day(number: 20_777),
        mission: "watch", effective: Instant(seconds: 0), rules: "2026-11", reward: .init(),
        evidence: [1], cause: "live"))
  }
}
