internal import CCurl
internal import Threading

/// What callers ask of the transfer loop, and the means to wake it when it sleeps.
///
/// The one place where callers' threads and the loop's thread meet.
final class TransferInbox: Sendable {
  /// What has arrived since the loop looked last.
  struct Orders {
    var submitted: [Transfer] = []
    var cancelled: [Transfer] = []
    var isClosed = false

    var isEmpty: Bool { submitted.isEmpty && cancelled.isEmpty && !isClosed }
  }

  private struct State {
    var orders = Orders()
    /// The multi handle while the loop sleeps in it, else nil: waking costs a system call.
    var sleepingIn: OpaqueMulti?
  }

  private let state = Lock(State())

  /// Hands a transfer over; false when the client is closed, and then nobody will resume it.
  func submit(_ transfer: Transfer) -> Bool {
    state.withLock { state in
      guard !state.orders.isClosed else { return false }
      state.orders.submitted.append(transfer)
      Self.wake(&state)
      return true
    }
  }

  /// Asks for a transfer to be given up; it may not have been submitted yet, or be finished already.
  func cancel(_ transfer: Transfer) {
    state.withLock { state in
      guard !state.orders.isClosed else { return }
      state.orders.cancelled.append(transfer)
      Self.wake(&state)
    }
  }

  /// Asks the loop to end.
  func close() {
    state.withLock { state in
      state.orders.isClosed = true
      Self.wake(&state)
    }
  }

  /// Takes what has arrived; to be called by the loop alone. The loop is awake afterwards.
  func take() -> Orders {
    state.withLock { state in
      state.sleepingIn = nil
      let orders = state.orders
      state.orders = Orders(isClosed: orders.isClosed)
      return orders
    }
  }

  /// Announces that the loop is about to sleep in `multi`; false when something has arrived meanwhile.
  func prepareToSleep(in multi: OpaqueMulti) -> Bool {
    state.withLock { state in
      guard state.orders.isEmpty else { return false }
      state.sleepingIn = multi
      return true
    }
  }

  // Under the lock: the loop frees the handle only after it has taken `isClosed`, and then nobody wakes any more.
  private static func wake(_ state: inout State) {
    guard let multi = state.sleepingIn else { return }
    state.sleepingIn = nil
    curl_multi_wakeup(multi.pointer)
  }
}

/// A libcurl multi handle as a value that may be kept under a lock.
struct OpaqueMulti: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}
