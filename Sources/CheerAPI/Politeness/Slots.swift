internal import Foundations
internal import Scheduling

/// The limit on requests under way: a fixed number of slots, given out in the order of requests.
///
/// A waiting caller owns no tracked work, since the holder of a slot may sleep. A holder that hands its slot over takes the work
/// up again for the waiting caller, so that no time passes in between.
final class Slots: Sendable {
  private struct State {
    var free: Int
    var firstTicket: UInt64 = 0
    var nextTicket: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    /// Tickets whose task was cancelled before it began to wait.
    var cancelled: Set<UInt64> = []
  }

  private let clock: any ServiceClock
  private let state: Lock<State>

  /// Creates `count` free slots; at least one.
  init(count: Int, clock: any ServiceClock) {
    self.clock = clock
    state = Lock(State(free: max(1, count)))
  }

  /// Waits for a slot; the caller owns a unit of tracked work and lends it meanwhile. Returns false if the task was cancelled, in
  /// which case there is no slot to release.
  func acquire() async -> Bool {
    let ticket: UInt64? = state.withLock { state in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      state.nextTicket += 1
      return state.nextTicket - 1
    }
    guard let ticket else { return true }
    let hasSlot = await withTaskCancellationHandler {
      await withCheckedContinuation { wait(ticket, $0) }
    } onCancel: {
      cancel(ticket)
    }
    if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(ticket) } }
    return hasSlot
  }

  /// Releases a slot.
  func release() {
    let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
      while state.firstTicket < state.nextTicket, !state.waiters.isEmpty {
        state.firstTicket += 1
        if let next = state.waiters.removeValue(forKey: state.firstTicket - 1) { return next }
      }
      state.free += 1
      return nil
    }
    if let next {
      clock.beginWork()
      next.resume(returning: true)
    }
  }

  private func wait(_ ticket: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
    // A slot may have become free, or the task been cancelled, since the ticket was drawn.
    let answer: Bool? = state.withLock { state in
      if state.cancelled.remove(ticket) != nil { return false }
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiters[ticket] = continuation
      state.firstTicket = min(state.firstTicket, ticket)
      return nil
    }
    if let answer { continuation.resume(returning: answer) } else { clock.endWork() }
  }

  private func cancel(_ ticket: UInt64) {
    let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: ticket)
      if waiter == nil { state.cancelled.insert(ticket) }
      return waiter
    }
    if let waiter {
      clock.beginWork()
      waiter.resume(returning: false)
    }
  }
}
