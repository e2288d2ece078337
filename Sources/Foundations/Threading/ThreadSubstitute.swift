/// Replaces the machine's threads in a process that simulates a whole service. Work that would block a thread becomes
/// a step of the simulation's executor, which decides when to run it.
package protocol ThreadSubstitute: Sendable {
  /// Returns the number of a new queue. Work submitted to one queue runs in order, one piece at a time.
  func makeLine() -> Int
  /// Queues `work` behind the queue's earlier work and returns at once.
  func start(onLine line: Int, _ work: @escaping @Sendable () -> Void)
}

/// Whether this process uses real threads for blocking work. Every program does, except a simulation.
package enum Threads {
  /// Set once, before anything runs; nil where threads are real.
  nonisolated(unsafe) private(set) static var substitute: (any ThreadSubstitute)?

  /// Replaces all threads with `substitute`. Call it once, before any blocking work begins.
  package static func replace(by substitute: any ThreadSubstitute) { self.substitute = substitute }
}
