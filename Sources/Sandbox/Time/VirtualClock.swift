package import CivilTime
internal import Foundations
import Scheduling

/// A clock that jumps to the next sleeper's instant as soon as no task has work in hand.
///
/// The contract: **a task that sleeps on this clock owns one unit of work.** The caller that starts such a task calls
/// ``beginWork()`` before starting it, and the task calls ``endWork()`` when it ends, as `start(_:)` does. A sleep
/// lends the task's unit back and returns with the unit again, even when it throws. Time therefore stands still from a
/// sleeper's waking to its next sleep or end. A task that waits for other tasks that may sleep must not own a unit
/// meanwhile. Sleepers wake one at a time, in the order of their instants and, for the same instant, in the order in
/// which they fell asleep. The next one wakes only when all units are lent or ended.
package final class VirtualClock: ServiceClock {
  private let state: Lock<VirtualTime>

  /// Creates a clock that shows `start` and never jumps beyond `limit`; if both are equal, it stands still until
  /// ``run(until:)``.
  package init(at start: Instant, until limit: Instant = .latest) {
    state = Lock(VirtualTime(origin: start, limit: limit))
  }

  /// Returns the wall clock's time.
  package func now() -> Instant { state.withLock { $0.wall } }

  /// Returns the elapsed time, whatever the wall clock shows.
  package func sinceBoot() -> Int64? { state.withLock { $0.elapsed } }

  /// The units of work in hand and the number of sleeping tasks, to find out why time stands still.
  package var workload: (unitsInHand: Int, asleep: Int) {
    state.withLock { ($0.unitsInHand, $0.sleepers.count) }
  }

  /// Takes one unit of work in hand.
  package func beginWork() { state.withLock { $0.unitsInHand += 1 } }

  /// Ends one unit of work; there must be one.
  package func endWork() {
    change { time in
      precondition(time.unitsInHand > 0, "endWork() without beginWork()")
      time.unitsInHand -= 1
    }
  }

  /// Sleeps until the wall clock should show `instant`; the caller owns a unit of work and lends it meanwhile.
  package func sleep(until instant: Instant) async throws {
    try await sleep { time in instant.nanoseconds(since: time.wall) }
  }

  /// Sleeps for a period; the caller owns a unit of work and lends it meanwhile.
  package func sleep(seconds: Double) async throws {
    // Rounded up: after a wait for a fraction of a nanosecond, some time must have passed.
    let nanoseconds = Int64((max(0, min(seconds, 9e9)) * 1e9).rounded(.up))
    try await sleep { _ in nanoseconds }
  }

  /// Lets time pass up to `limit`, and returns when every due sleeper has woken and no task has work in hand. Only one
  /// caller at a time, which must own no unit of work.
  package func run(until limit: Instant) async {
    await withCheckedContinuation { continuation in
      change { time in
        time.setLimit(limit)
        time.driver = continuation
      }
    }
  }

  /// Jumps to `instant` even while work is in hand, as for a process that was stopped; never back. Sleepers up to then
  /// wake late, in the next ``run(until:)``.
  package func jump(to instant: Instant) { state.withLock { $0.jump(to: instant) } }

  /// Sets the wall clock forward or back, as an operator or NTP would; no time passes, and sleepers keep their
  /// remaining time.
  package func step(bySeconds seconds: Int64) {
    change { $0.origin = $0.origin.adding(seconds: seconds) }
  }

  private func sleep(for span: @Sendable (VirtualTime) -> Int64) async throws {
    let ticket = state.withLock { $0.makeTicket() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waker: SleeperQueue.Waker) in
        suspend(ticket, waker, for: span)
      }
    } onCancel: {
      cancel(ticket)
    }
  }

  private func suspend(
    _ ticket: UInt64, _ waker: SleeperQueue.Waker, for span: (VirtualTime) -> Int64
  ) {
    let outcome: Result<Void, any Error>? = state.withLock { time in
      // Checked under the lock: a later cancellation will find the sleeper in the queue.
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

  /// Changes the state and wakes the next task in turn.
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
