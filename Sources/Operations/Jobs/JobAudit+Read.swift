public import CivilTime
public import LedgerStore
public import Scheduling
import Threading

extension JobAudit {
  /// An audit of a data folder's ledger up to its last seal.
  public static func read(
    _ directory: DataDirectory, jobs: [Job], zones: any ZoneSource, now: Instant
  ) async throws -> JobAudit {
    try await BlockingThread(named: "rewards.audit").run {
      var audit = JobAudit(jobs: jobs, zones: zones, now: now)
      try LedgerReader.open(directory).readRecords(after: 0) { audit.add($0) }
      return audit
    }
  }
}
