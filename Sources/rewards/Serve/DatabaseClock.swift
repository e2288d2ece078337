import CivilTime
import LedgerDatabase
import Scheduling

/// The clock of a database for who works on its ledgers: what the machine's wall clock shows does not matter.
struct DatabaseClock: ServiceClock {
  let time: DatabaseTime
  /// The machine's clocks, to sleep by.
  let base: any ServiceClock

  /// The database's present; the machine's before the database was asked.
  func now() -> Instant {
    guard let seconds = time.now() else { return base.now() }
    let whole = seconds.rounded(.down)
    return Instant(seconds: Int64(whole), nanoseconds: Int32((seconds - whole) * 1e9))
  }

  func sinceBoot() -> Int64? { base.sinceBoot() }

  func sleep(until instant: Instant) async throws {
    try await base.sleep(seconds: instant.interval(since: now()))
  }

  func sleep(seconds: Double) async throws { try await base.sleep(seconds: seconds) }

  func beginWork() { base.beginWork() }
  func endWork() { base.endWork() }
}
