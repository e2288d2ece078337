internal import Dispatch

/// A thread of its own for calls that block (`fdatasync`, reading big files), off the cooperative pool.
///
/// Work runs one piece at a time, in the order in which it was handed over.
public final class BlockingThread: Sendable {
  private let queue: DispatchQueue

  /// A thread with a name for debuggers.
  public init(named name: String) { queue = DispatchQueue(label: name) }

  /// Runs `work` on the thread; returns at once.
  public func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// Runs `work` on the thread and suspends the caller until it is done; throws what `work` throws.
  public func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try work() })
      }
    }
  }
}
