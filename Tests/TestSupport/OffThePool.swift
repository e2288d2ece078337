import Dispatch
import Foundation
public import Testing

extension Trait where Self == OffThePool {
  /// Runs each test on threads outside of the cooperative pool, a few tests at a time.
  ///
  /// The pool has as many threads as the machine has cores: two tests that compute for long, or wait for a child, a lock
  /// or a socket, would stop every `Task` of the process for as long. Every suite carries this trait (a house rule), so
  /// the pool belongs to the tasks that the product itself starts.
  public static var offThePool: Self { OffThePool() }
}

/// See ``Testing/Trait/offThePool``.
public struct OffThePool: SuiteTrait, TestTrait, TestScoping {
  /// Holds for each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs one test case when its turn has come.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await body() }
    await Self.admission.enter()
    defer { Self.admission.leave() }
    try await withTaskExecutorPreference(RoomyExecutor.shared) { try await body() }
  }

  /// More tests at once than this would only take time from each other.
  private static let admission = Admission(
    width: 2 * ProcessInfo.processInfo.activeProcessorCount)
}

/// Runs jobs on as many threads as are needed for those that block.
final class RoomyExecutor: TaskExecutor {
  static let shared = RoomyExecutor()
  private let queue = DispatchQueue(label: "tests", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Lets a number of tasks in at a time; the others wait in the order of their arrival, blocking no thread.
final class Admission: @unchecked Sendable {
  private let lock = NSLock()
  private var free: Int
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(width: Int) { free = width }

  func enter() async {
    await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
      let isIn = lock.withLock {
        if free == 0 {
          waiters.append(waiter)
          return false
        }
        free -= 1
        return true
      }
      if isIn { waiter.resume() }
    }
  }

  func leave() {
    let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
      if waiters.isEmpty {
        free += 1
        return nil
      }
      return waiters.removeFirst()
    }
    next?.resume()
  }
}
