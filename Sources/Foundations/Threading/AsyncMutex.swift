/// A mutex for tasks. Lets one task through at a time, in order of arrival. Waiting suspends the task and blocks no thread.
package final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  package init() {}

  /// Runs `body` once every earlier caller has left.
  package func withLock<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await lock()
    defer { unlock() }
    return try await body()
  }

  /// Waits for its turn. Every ``lock()`` needs exactly one ``unlock()``.
  package func lock() async {
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

  /// Lets the next waiter in.
  package func unlock() {
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
