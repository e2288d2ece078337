import Foundations
import Operations

/// Requests from other processes that a service is carrying out, all cancelled together when it ends.
///
/// A cancelled request has written whole batches or nothing, and can be submitted again.
final class RunningRequests: Sendable {
  private struct State {
    var isEnding = false
    var next = 0
    var running: [Int: Task<CommandResult, Never>] = [:]
  }

  private let state = Lock(State())

  /// Carries out a request and returns its answer.
  func run(_ command: @escaping @Sendable () async -> CommandResult) async -> CommandResult {
    let (number, task) = state.withLock { state in
      let task = Task { await command() }
      state.next += 1
      if state.isEnding { task.cancel() } else { state.running[state.next] = task }
      return (state.next, task)
    }
    let answer = await task.value
    state.withLock { _ = $0.running.removeValue(forKey: number) }
    return answer
  }

  /// Cancels running requests and any that come later.
  func cancelAll() {
    let tasks = state.withLock { state in
      state.isEnding = true
      return Array(state.running.values)
    }
    for task in tasks { task.cancel() }
  }
}
