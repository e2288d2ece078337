import CivilTime
import LedgerDatabase
import Scheduling

/// A database's clock, for processes that work on its ledgers whatever the machine's wall clock shows.
struct DatabaseClock: ServiceClock {
  let time: DatabaseTime
  /// The machine's clocks, used for sleeping.
  let base: any ServiceClock

  /// Returns the database's present, or the machine's until the database is first asked.
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
