package import CivilTime

/// The only source of time: the wall clock to decide by, the monotonic clock to sleep on, and a count of work in
/// progress.
///
/// In production it passes the machine's clocks through and ignores the work. A virtual clock advances to the next
/// sleeper's instant as soon as no work is in progress, so that weeks pass in seconds. For that reason, **a task that
/// sleeps or polls owns one unit of work**: its starter calls ``beginWork()`` first, and the task calls ``endWork()``
/// when it ends. A sleep lends the unit. A task that waits for another that may sleep also lends its unit, and the
/// one that wakes it begins a new unit for it. Safe to call from any task.
package protocol ServiceClock: Sendable {
  /// Returns the present, by the wall clock.
  func now() -> Instant
  /// Returns the latest instant that has certainly passed: ``now()`` unless the clock is in doubt.
  func certain() -> Instant
  /// Whether it is still unknown if ``now()`` is right.
  var isInDoubt: Bool { get }
  /// Returns nanoseconds on a clock that continues through a suspend and is never set, from an arbitrary start; nil
  /// if there is no such clock to check the wall clock against.
  func sinceBoot() -> Int64?
  /// The boot of the machine in which ``sinceBoot()`` counts; nil if it cannot be compared across starts.
  var boot: String? { get }
  /// Whether the system reports that a time server keeps ``now()`` right; nil if it cannot tell.
  var isSynchronized: Bool? { get }
  /// Returns the present for measuring durations. It advances even where ``now()`` was set to stand still.
  func passing() -> Instant
  /// Suspends until the wall clock should show `instant`, measured on the monotonic clock from now. Returns at once
  /// if it has passed. Throws `CancellationError` if the task is cancelled.
  func sleep(until instant: Instant) async throws
  /// Suspends for a duration of monotonic time. Throws `CancellationError` if the task is cancelled.
  func sleep(seconds: Double) async throws
  /// Begins a unit of tracked work. Time does not jump before the matching ``endWork()``.
  func beginWork()
  /// Ends a unit of tracked work.
  func endWork()
}

extension ServiceClock {
  /// Returns ``now()``.
  package func certain() -> Instant { now() }
  /// Never in doubt.
  package var isInDoubt: Bool { false }
  /// Returns ``now()``.
  package func passing() -> Instant { now() }
  /// Nil: starts cannot be compared.
  package var boot: String? { nil }
  /// Nil: unknown.
  package var isSynchronized: Bool? { nil }
  /// Returns nil: there is no clock to check the wall clock against.
  package func sinceBoot() -> Int64? { nil }
}
