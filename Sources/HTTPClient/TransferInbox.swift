internal import CCurl
internal import Foundations

/// Orders from callers to the transfer loop, and the means to wake it.
///
/// The only place where callers' threads and the loop's thread meet.
final class TransferInbox: Sendable {
  /// The orders that have arrived since the loop last took them.
  struct Orders {
    var submitted: [Transfer] = []
    var cancelled: [Transfer] = []
    var isClosed = false

    var isEmpty: Bool { submitted.isEmpty && cancelled.isEmpty && !isClosed }
  }

  private struct State {
    var orders = Orders()
    /// The multi handle while the loop sleeps in it, otherwise nil: waking costs a system call.
    var sleepingIn: OpaqueMulti?
  }

  private let state = Lock(State())

  /// Submits a transfer; returns false if the client is closed, in which case nothing will resume the transfer.
  func submit(_ transfer: Transfer) -> Bool {
    state.withLock { state in
      guard !state.orders.isClosed else { return false }
      state.orders.submitted.append(transfer)
      Self.wake(&state)
      return true
    }
  }

  /// Requests the cancellation of a transfer, which may not have been submitted yet, or may already be finished.
  func cancel(_ transfer: Transfer) {
    state.withLock { state in
      guard !state.orders.isClosed else { return }
      state.orders.cancelled.append(transfer)
      Self.wake(&state)
    }
  }

  /// Requests the end of the loop.
  func close() {
    state.withLock { state in
      state.orders.isClosed = true
      Self.wake(&state)
    }
  }

  /// Takes the orders that have arrived. Only the loop calls this; it is awake afterwards.
  func drain() -> Orders {
    state.withLock { state in
      state.sleepingIn = nil
      let orders = state.orders
      state.orders = Orders(isClosed: orders.isClosed)
      return orders
    }
  }

  /// Announces that the loop is about to sleep in `multi`; returns false if orders have arrived meanwhile.
  func prepareToSleep(in multi: OpaqueMulti) -> Bool {
    state.withLock { state in
      guard state.orders.isEmpty else { return false }
      state.sleepingIn = multi
      return true
    }
  }

  // Called under the lock: the loop frees the handle only after taking `isClosed`, and nothing wakes it after that.
  private static func wake(_ state: inout State) {
    guard let multi = state.sleepingIn else { return }
    state.sleepingIn = nil
    curl_multi_wakeup(multi.pointer)
  }
}

/// A libcurl multi handle as a value that can be kept under a lock.
struct OpaqueMulti: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}
