import CivilTime
import Foundations
import LedgerDatabase
import Operations
import Scheduling
import TestSupport
import Testing

@testable import rewards

/// Clocks that stand between a service and the machine's sleep to the instant, not to the second before: else the service turns in
/// circles for the rest of it.
@Suite(.offThePool) struct SleepTests {
  /// Stands still, and notes how long it was to sleep.
  private final class NotingClock: ServiceClock {
    let wall = Lock(Instant(seconds: 1_795_176_000, nanoseconds: 300_000_000))
    let slept = Lock<[Double]>([])

    func now() -> Instant { wall.withLock { $0 } }
    func sinceBoot() -> Int64? { 1 }
    func sleep(until instant: Instant) async throws {
      try await sleep(seconds: instant.interval(since: now()))
    }
    func sleep(seconds: Double) async throws { slept.withLock { $0.append(seconds) } }
    func beginWork() {}
    func endWork() {}
  }

  private let base = NotingClock()

  @Test func aDatabasesClockSleepsThroughParts() async throws {
    let clock = DatabaseClock(time: DatabaseTime(.machine), base: base)
    try await clock.sleep(until: Instant(seconds: 1_795_176_001, nanoseconds: 200_000_000))
    #expect(base.slept.withLock { $0 }.map { ($0 * 10).rounded() } == [9])
  }

  @Test func aClockThatIsHeldSleepsThroughParts() async throws {
    let clock = HeldClock(base)
    base.wall.withLock { $0 = $0.adding(seconds: 86_400) }
    try await clock.sleep(until: Instant(seconds: 1_795_176_001, nanoseconds: 200_000_000))
    #expect(base.slept.withLock { $0 }.map { ($0 * 10).rounded() } == [9])
  }
}
