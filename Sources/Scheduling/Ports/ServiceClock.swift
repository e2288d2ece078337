public import CivilTime

/// All the time there is: the wall clock to decide on, the monotonic clock to sleep on, and knowledge of work in hand.
///
/// Production passes the machine's clocks through, and work in hand means nothing to it. A virtual clock moves to the
/// next sleeper's instant as soon as no work is in hand, so that weeks pass in seconds. For its sake **a task that sleeps
/// or looks owns one unit of work**: whoever starts such a task calls ``beginWork()`` before, and the task calls
/// ``endWork()`` when it ends. A sleep lends the unit; a task that waits for another that may sleep lends its unit too,
/// and whoever wakes it begins one for it. Safe to call from any task.
public protocol ServiceClock: Sendable {
  /// Returns the present, by the wall clock.
  func now() -> Instant
  /// Returns the latest instant that has certainly passed: ``now()`` unless the clock is in doubt.
  func certain() -> Instant
  /// Whether nobody knows yet if ``now()`` is right.
  var isInDoubt: Bool { get }
  /// Nanoseconds on a clock that runs on through a suspend and that nobody sets, from some beginning; nil when there is none
  /// to hold the wall clock against.
  func sinceBoot() -> Int64?
  /// Which boot of the machine ``sinceBoot()`` counts in; nil where that is nothing to go by at another start.
  var boot: String? { get }
  /// Whether the system says that a time server keeps ``now()`` right; nil where it cannot tell.
  var isSynchronized: Bool? { get }
  /// Returns the present for whoever measures how long something takes: it passes also where ``now()`` was set to stand still.
  func passing() -> Instant
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

extension ServiceClock {
  /// Returns the same as ``now()``.
  public func certain() -> Instant { now() }
  /// Never.
  public var isInDoubt: Bool { false }
  /// Returns the same as ``now()``.
  public func passing() -> Instant { now() }
  /// Nothing to go by at another start.
  public var boot: String? { nil }
  /// Nobody can tell.
  public var isSynchronized: Bool? { nil }
  /// Nothing to hold the wall clock against.
  public func sinceBoot() -> Int64? { nil }
}
