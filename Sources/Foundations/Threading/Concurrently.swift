internal import Dispatch
internal import Glibc

/// Runs independent pieces of work in parallel.
package enum Concurrently {
  /// The number of processors of this machine, at most 8: each thread also takes memory.
  package static let threads = max(1, min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// Returns the results of `body` for 0 up to `count`, in that order, running at most `threads` calls at once.
  ///
  /// Blocks the caller until all are done, so never call it on the cooperative pool. Throws the first error in index
  /// order; calls that have not begun by then are skipped.
  package static func map<Result: Sendable>(
    _ count: Int, threads: Int, _ body: @Sendable (Int) throws -> Result
  ) throws -> [Result] {
    let work = Lock(Work<Result>(results: Array(repeating: nil, count: count)))
    perform(max(1, min(threads, count))) { _ in
      while let number = work.withLock({ $0.takeNext() }) {
        let result = Swift.Result { try body(number) }
        work.withLock { $0.put(result, at: number) }
      }
    }
    return try work.withLock { $0.results }.compactMap { try $0?.get() }
  }

  /// Calls `body` with 0 up to `count` in parallel and returns when all calls have.
  ///
  /// Blocks the caller, so never call it on the cooperative pool.
  package static func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if Threads.substitute == nil {
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    } else {
      for number in 0..<count { body(number) }
    }
  }

  private struct Work<Result: Sendable>: Sendable {
    var results: [Swift.Result<Result, any Error>?]
    var next = 0
    var isBroken = false

    mutating func takeNext() -> Int? {
      guard next < results.count, !isBroken else { return nil }
      next += 1
      return next - 1
    }

    mutating func put(_ result: Swift.Result<Result, any Error>, at number: Int) {
      if case .failure = result { isBroken = true }
      results[number] = result
    }
  }
}
