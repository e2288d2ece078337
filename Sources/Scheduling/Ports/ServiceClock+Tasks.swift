extension ServiceClock {
  /// Starts a task that owns a unit of tracked work while it runs, and so may sleep on this clock.
  package func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    beginWork()
    return Task {
      await body()
      endWork()
    }
  }

  /// Adds such a task to a group.
  package func start(
    in group: inout DiscardingTaskGroup, _ body: @escaping @Sendable () async -> Void
  ) {
    beginWork()
    group.addTask {
      await body()
      endWork()
    }
  }

  /// Runs `work` on each element, at most `width` at once, and calls `finished` with the outcomes in the order they end.
  ///
  /// The caller owns a unit of tracked work. It passes to the tasks while they run, and returns with the last one.
  package func forEach<Element: Sendable, Outcome: Sendable>(
    in elements: some Sequence<Element>, atMost width: Int,
    _ work: @escaping @Sendable (Element) async throws -> Outcome,
    finished: (Outcome) -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      var waiting = elements.makeIterator()
      var running = 0
      while true {
        while running < width, let element = waiting.next() {
          beginWork()
          running += 1
          group.addTask { try await work(element) }
        }
        if running == 0 { return }
        // This task takes over the unit of a finished one.
        endWork()
        guard let outcome = try await group.next() else { return }
        running -= 1
        finished(outcome)
      }
    }
  }
}
