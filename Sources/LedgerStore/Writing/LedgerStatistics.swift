/// What a store has done since it was opened, for metrics.
public struct LedgerStatistics: Equatable, Sendable {
  /// Batches that reached the disk.
  public internal(set) var commits = 0
  /// Their records, without seals.
  public internal(set) var records = 0
  /// Batches that failed.
  public internal(set) var failures = 0
  /// How long the successful `fdatasync` calls took together.
  public internal(set) var syncSeconds = 0.0
}
