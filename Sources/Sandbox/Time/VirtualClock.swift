public import CivilTime
public import Scheduling
internal import Threading

/// A clock that jumps to the next sleeper's instant as soon as nobody has work in hand.
///
/// The contract: **a task that sleeps on this clock owns one unit of work.** Whoever starts such a task calls
/// ``beginWork()`` before starting it, and the task calls ``endWork()`` when it ends, as `start(_:)` does. A sleep
/// lends the task's unit back and returns with the unit again, also when it throws. So time stands still between a
/// sleeper's waking and its next sleep or end. A task that waits for other tasks which may sleep must not own a unit
/// meanwhile. Sleepers wake one at a time, in the order of their instants, those of one instant in the order in which
/// they lay down. The next one wakes only when all units are lent or ended.
public final class VirtualClock: ServiceClock {
  private let state: Lock<VirtualTime>

  /// A clock that shows `start` and never jumps beyond `limit`; with `limit` equal to `start` it stands still until
  /// ``run(until:)``.
  public init(at start: Instant, until limit: Instant = .latest) {
    state = Lock(VirtualTime(origin: start, limit: limit))
  }

  /// What the wall shows.
  public func now() -> Instant { state.withLock { $0.wall } }

  /// The time that has passed, whatever the wall shows.
  public func sinceBoot() -> Int64? { state.withLock { $0.elapsed } }

  /// Units of work in hand, and tasks asleep: to find out why time stands still.
  public var workload: (unitsInHand: Int, asleep: Int) {
    state.withLock { ($0.unitsInHand, $0.sleepers.count) }
  }

  /// Takes one unit of work in hand.
  public func beginWork() { state.withLock { $0.unitsInHand += 1 } }

  /// Ends one unit of work; there must be one.
  public func endWork() {
    change { time in
      precondition(time.unitsInHand > 0, "endWork() without beginWork()")
      time.unitsInHand -= 1
    }
  }

  /// Sleeps until the wall should show `instant`; the caller owns a unit of work, and lends it meanwhile.
  public func sleep(until instant: Instant) async throws {
    try await sleep { time in instant.nanoseconds(since: time.wall) }
  }

  /// Sleeps for a span; the caller owns a unit of work, and lends it meanwhile.
  public func sleep(seconds: Double) async throws {
    // Upwards: whoever waits for a span that is no whole nanosecond must not find that no time has passed.
    let nanoseconds = Int64((max(0, min(seconds, 9e9)) * 1e9).rounded(.up))
    try await sleep { _ in nanoseconds }
  }

  /// Lets time pass up to `limit`, and returns when it has come: everybody due has been woken, and nobody has work in
  /// hand. One caller at a time, who owns no unit of work.
  public func run(until limit: Instant) async {
    await withCheckedContinuation { continuation in
      change { time in
        time.setLimit(limit)
        time.driver = continuation
      }
    }
  }

  /// Moves the hands of the wall clock, as an operator or NTP would; sleepers keep the time that they have left, and
  /// no time passes by it.
  public func step(bySeconds seconds: Int64) {
    change { $0.origin = $0.origin.adding(seconds: seconds) }
  }

  private func sleep(for span: @Sendable (VirtualTime) -> Int64) async throws {
    let ticket = state.withLock { $0.makeTicket() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waker: SleeperQueue.Waker) in
        lieDown(ticket, waker, for: span)
      }
    } onCancel: {
      cancel(ticket)
    }
  }

  private func lieDown(
    _ ticket: UInt64, _ waker: SleeperQueue.Waker, for span: (VirtualTime) -> Int64
  ) {
    let outcome: Result<Void, any Error>? = state.withLock { time in
      // Asked under the lock: a cancellation from now on finds the sleeper in the queue.
      if Task.isCancelled { return .failure(CancellationError()) }
      let nanoseconds = span(time)
      if nanoseconds <= 0 { return .success(()) }
      precondition(time.unitsInHand > 0, "a task that sleeps must own a unit of work")
      time.unitsInHand -= 1
      let (sum, overflow) = time.elapsed.addingReportingOverflow(nanoseconds)
      time.sleepers.insert(ticket: ticket, deadline: overflow ? .max : sum, waker: waker)
      return nil
    }
    if let outcome { return waker.resume(with: outcome) }
    change { _ in }
  }

  private func cancel(_ ticket: UInt64) {
    let waker = state.withLock { time in
      let waker = time.sleepers.remove(ticket: ticket)
      if waker != nil { time.unitsInHand += 1 }
      return waker
    }
    waker?.resume(throwing: CancellationError())
  }

  /// Changes the state and wakes whoever's turn it then is.
  private func change(_ body: (inout VirtualTime) -> Void) {
    let turn = state.withLock { time in
      body(&time)
      return time.nextTurn()
    }
    switch turn {
    case .sleeper(let waker): waker.resume()
    case .driver(let continuation): continuation.resume()
    case .nobody: break
    }
  }
}
