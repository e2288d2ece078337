internal import Threading

/// The cap on requests under way: so many slots, given in the order in which they were asked for.
final class Slots: Sendable {
  private struct State {
    var free: Int
    var firstTicket: UInt64 = 0
    var nextTicket: UInt64 = 0
    var waiters: [UInt64: UnsafeContinuation<Bool, Never>] = [:]
    /// Tickets whose task was cancelled before it began to wait.
    var cancelled: Set<UInt64> = []
  }

  private let state: Lock<State>

  /// `count` free slots; at least one.
  init(count: Int) { state = Lock(State(free: max(1, count))) }

  /// Waits for a slot; false when the task was cancelled, and then there is none to give back.
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
      await withUnsafeContinuation { wait(ticket, $0) }
    } onCancel: {
      cancel(ticket)
    }
    if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(ticket) } }
    return hasSlot
  }

  /// Gives a slot back.
  func release() {
    let next: UnsafeContinuation<Bool, Never>? = state.withLock { state in
      while state.firstTicket < state.nextTicket, !state.waiters.isEmpty {
        state.firstTicket += 1
        if let next = state.waiters.removeValue(forKey: state.firstTicket - 1) { return next }
      }
      state.free += 1
      return nil
    }
    next?.resume(returning: true)
  }

  private func wait(_ ticket: UInt64, _ continuation: UnsafeContinuation<Bool, Never>) {
    // A slot may have come free, or the task been cancelled, since the ticket was drawn.
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
    if let answer { continuation.resume(returning: answer) }
  }

  private func cancel(_ ticket: UInt64) {
    let waiter: UnsafeContinuation<Bool, Never>? = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: ticket)
      if waiter == nil { state.cancelled.insert(ticket) }
      return waiter
    }
    waiter?.resume(returning: false)
  }
}
