internal import Dispatch

/// A line of work for calls that block (`fdatasync`, reading big files), off the cooperative pool.
///
/// Work runs one piece at a time, in the order in which it was handed over, on some thread that may block.
public final class BlockingThread: Sendable {
  private enum Worker: Sendable {
    case queue(DispatchQueue)
    case line(Int, any ThreadSubstitute)
  }

  private let worker: Worker

  /// A line; `name` is its queue's, for debuggers.
  public init(named name: String) {
    worker =
      if let substitute = Threads.substitute {
        .line(substitute.makeLine(), substitute)
      } else {
        .queue(DispatchQueue(label: name))
      }
  }

  /// Runs `work` in its turn; returns at once.
  public func start(_ work: @escaping @Sendable () -> Void) {
    switch worker {
    case .queue(let queue): queue.async(execute: work)
    case .line(let line, let substitute): substitute.start(onLine: line, work)
    }
  }

  /// Runs `work` in its turn and suspends the caller until it is done; throws what `work` throws.
  public func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      start { continuation.resume(with: Swift.Result { try work() }) }
    }
  }
}
