/// Takes the place of the machine's threads in a process that simulates a whole service: what would block one is then a step
/// of the simulation's own executor, which decides when it is made.
public protocol ThreadSubstitute: Sendable {
  /// A number for a new line of work. What is handed over on one line runs in order, one piece at a time.
  func makeLine() -> Int
  /// Runs `work` later, behind what is in its line; returns at once.
  func start(onLine line: Int, _ work: @escaping @Sendable () -> Void)
}

/// Whether this process has threads for blocking work, which every program has but a simulation.
public enum Threads {
  /// Set once, before anything runs; nil wherever threads are threads.
  nonisolated(unsafe) private(set) static var substitute: (any ThreadSubstitute)?

  /// Lets no thread begin from now on. To be called once, before any blocking work begins.
  public static func replace(by substitute: any ThreadSubstitute) { self.substitute = substitute }
}
