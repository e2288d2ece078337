public import CivilTime
public import Scheduling

/// A clock that an operator set with `--now`: the present stands still, sleeping takes real time.
public struct FixedClock: ServiceClock {
  private let instant: Instant
  private let sleeping = SystemClock()
  private let begunAt: Int64?

  /// A clock that always shows `instant`.
  public init(at instant: Instant) {
    self.instant = instant
    begunAt = sleeping.sinceBoot()
  }

  /// The instant that was set.
  public func now() -> Instant { instant }

  /// The instant that was set, and the real time that has passed since.
  public func passing() -> Instant {
    guard let begunAt, let now = sleeping.sinceBoot() else { return instant }
    return instant.adding(nanoseconds: now - begunAt)
  }

  /// Suspends for the span between the instant that was set and `instant`, in real time.
  public func sleep(until instant: Instant) async throws {
    try await sleep(seconds: instant.interval(since: self.instant))
  }

  /// Suspends for a span of real time.
  public func sleep(seconds: Double) async throws { try await sleeping.sleep(seconds: seconds) }

  /// Nothing: real time does not wait for work.
  public func beginWork() {}
  /// Nothing: real time does not wait for work.
  public func endWork() {}
}
