import Foundations

/// The signals from outside to a running service: stop, reload and wake.
package final class ServiceSwitch: Sendable {
  struct State: Sendable {
    var isStopping = false
    var wantsReload = false
    var wantsLook = false
    var nap: Task<Void, Never>?
  }

  private let state = Lock(State())

  package init() {}

  /// Makes the service finish its work in progress and end.
  package func stop() { change { $0.isStopping = true } }

  /// Makes the service read users, rules and credentials again.
  package func reload() { change { $0.wantsReload = true } }

  /// Makes the service look for new users and new work at once.
  package func wake() { change { $0.wantsLook = true } }

  /// Whether the service is to end.
  package var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Returns whether a reload was requested since the last call.
  package func takeReload() -> Bool {
    state.withLock { state in
      defer { state.wantsReload = false }
      return state.wantsReload
    }
  }

  /// Sleeps in `sleep` until it returns or the switch is touched; does not sleep if it was touched before.
  ///
  /// Pass `leavingReloads` when no ``takeReload()`` follows: a requested reload is then left for later and does not prevent
  /// sleeping.
  package func nap(
    leavingReloads: Bool = false, _ sleep: @escaping @Sendable () async throws -> Void
  ) async {
    // Begun under the lock, so that a touch of the switch finds either no nap to come or this one.
    let nap: Task<Void, Never>? = state.withLock { state in
      let isTouched = state.isStopping || state.wantsLook || state.wantsReload && !leavingReloads
      if isTouched { return nil }
      let nap = Task<Void, Never> { try? await sleep() }
      state.nap = nap
      return nap
    }
    await nap?.value
    state.withLock { state in
      state.nap = nil
      state.wantsLook = false
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let nap = state.withLock { state in
      body(&state)
      return state.nap
    }
    nap?.cancel()
  }
}
