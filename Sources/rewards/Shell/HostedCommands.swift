import Control
import Threading

/// The commands of other processes that a service carries out: all broken off together when it ends.
///
/// A command that is broken off has written whole batches or nothing, and can be given again.
final class HostedCommands: Sendable {
  private struct State {
    var isEnding = false
    var next = 0
    var running: [Int: Task<ControlAnswer, Never>] = [:]
  }

  private let state = Lock(State())

  /// Carries a command out and returns its answer.
  func run(_ command: @escaping @Sendable () async -> ControlAnswer) async -> ControlAnswer {
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

  /// Breaks off what runs and what comes later.
  func cancelAll() {
    let tasks = state.withLock { state in
      state.isEnding = true
      return Array(state.running.values)
    }
    for task in tasks { task.cancel() }
  }
}
