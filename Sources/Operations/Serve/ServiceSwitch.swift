import Threading

/// How the world outside speaks to a running service: stop, read again, look up.
public final class ServiceSwitch: Sendable {
  struct State: Sendable {
    var isStopping = false
    var wantsReload = false
    var wantsLook = false
    var nap: Task<Void, Never>?
  }

  private let state = Lock(State())

  /// A switch that nobody has touched.
  public init() {}

  /// Makes the service finish what it has in hand and end.
  public func stop() { change { $0.isStopping = true } }

  /// Makes the service read users, rules and credentials again.
  public func reload() { change { $0.wantsReload = true } }

  /// Makes the service look for new users and new work at once.
  public func wake() { change { $0.wantsLook = true } }

  /// Whether the service is to end.
  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether a reload was asked for since the last time this was asked.
  public func takeReload() -> Bool {
    state.withLock { state in
      defer { state.wantsReload = false }
      return state.wantsReload
    }
  }

  /// Sleeps by `sleep` until it returns or somebody touches the switch; not at all where somebody has.
  ///
  /// Whoever does not go on to ``takeReload()`` says so: a reload that was asked for is then left for later, and keeps nobody awake.
  public func nap(
    leavingReloads: Bool = false, _ sleep: @escaping @Sendable () async throws -> Void
  ) async {
    // Begun under the lock: whoever touches the switch finds either no nap to come or this one.
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
