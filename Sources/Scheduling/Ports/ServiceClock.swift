public import CivilTime

/// All the time there is: the wall clock to decide on, the monotonic clock to sleep on, and knowledge of work in hand.
///
/// Production passes the machine's clocks through. A virtual clock moves to the next sleeper's instant as soon as no
/// tracked work is in hand, so that weeks pass in seconds. Safe to call from any task.
public protocol ServiceClock: Sendable {
  /// The present, by the wall clock.
  func now() -> Instant
  /// Suspends until the wall clock should show `instant`, measured on the monotonic clock from now; returns at once
  /// when it has passed. Throws `CancellationError` when the task is cancelled.
  func sleep(until instant: Instant) async throws
  /// Suspends for a span of monotonic time. Throws `CancellationError` when the task is cancelled.
  func sleep(seconds: Double) async throws
  /// Begins a piece of tracked work: time does not jump before the matching ``endWork()``.
  func beginWork()
  /// Ends a piece of tracked work.
  func endWork()
}
