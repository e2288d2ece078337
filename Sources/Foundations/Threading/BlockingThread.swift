internal import Dispatch

/// A serial queue for calls that block (`fdatasync`, reading big files), off the cooperative pool.
///
/// Work runs one piece at a time, in the order submitted, on a thread that may block.
package final class BlockingThread: Sendable {
  private enum Worker: Sendable {
    case queue(DispatchQueue)
    case line(Int, any ThreadSubstitute)
  }

  private let worker: Worker

  /// Creates a queue; debuggers show `name`.
  package init(named name: String) {
    worker =
      if let substitute = Threads.substitute {
        .line(substitute.makeLine(), substitute)
      } else {
        .queue(DispatchQueue(label: name))
      }
  }

  /// Queues `work` and returns at once.
  package func start(_ work: @escaping @Sendable () -> Void) {
    switch worker {
    case .queue(let queue): queue.async(execute: work)
    case .line(let line, let substitute): substitute.start(onLine: line, work)
    }
  }

  /// Queues `work` and suspends the caller until it is done; rethrows its error.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      start { continuation.resume(with: Swift.Result { try work() }) }
    }
  }
}
