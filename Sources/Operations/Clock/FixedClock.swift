package import CivilTime
import Scheduling

/// A clock set with `--now`: the present stands still, and sleeping takes real time.
package struct FixedClock: ServiceClock {
  private let instant: Instant
  private let sleeping = SystemClock()
  private let begunAt: Int64?

  /// Creates a clock that always shows `instant`.
  package init(at instant: Instant) {
    self.instant = instant
    begunAt = sleeping.sinceBoot()
  }

  /// Returns the instant that was set.
  package func now() -> Instant { instant }

  /// Returns the instant that was set plus the real time that has passed since.
  package func passing() -> Instant {
    guard let begunAt, let now = sleeping.sinceBoot() else { return instant }
    return instant.adding(nanoseconds: now - begunAt)
  }

  /// Suspends for the span from the set instant to `instant`, in real time.
  package func sleep(until instant: Instant) async throws {
    try await sleep(seconds: instant.interval(since: self.instant))
  }

  /// Suspends for a span of real time.
  package func sleep(seconds: Double) async throws { try await sleeping.sleep(seconds: seconds) }

  /// Does nothing: real time does not wait for work.
  package func beginWork() {}
  /// Does nothing: real time does not wait for work.
  package func endWork() {}
}
