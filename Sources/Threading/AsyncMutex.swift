/// Lets one task at a time through, in the order of arrival; who waits is suspended and blocks no thread.
public final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// A mutex that nobody holds.
  public init() {}

  /// Runs `body` when all who came before have left.
  public func withLock<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await lock()
    defer { unlock() }
    return try await body()
  }

  /// Waits for one's turn; every ``lock()`` is followed by one ``unlock()``.
  public func lock() async {
    await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiters.append(waiter)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { waiter.resume() }
    }
  }

  /// Lets the next one in.
  public func unlock() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiters.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.resume()
  }
}
