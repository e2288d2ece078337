internal import CivilTime
internal import Scheduling

/// Gathers users that are told one by one into batches: whoever comes while one is under way is in the next.
actor StoreBatches {
  private let clock: any ServiceClock
  private let limit: Int
  private let write: @Sendable ([String]) async -> [String: DeliveryOutcome]
  private var waiting: [(user: String, waiter: CheckedContinuation<DeliveryOutcome, Never>)] = []
  private var worker: Task<Void, Never>?

  /// Creates batches of at most `limit` users, written one after another by `write`.
  init(
    clock: any ServiceClock, limit: Int,
    write: @escaping @Sendable ([String]) async -> [String: DeliveryOutcome]
  ) {
    self.clock = clock
    self.limit = limit
    self.write = write
  }

  /// Writes a user's document with the next batch and returns the outcome. When the caller is cancelled, the batch is given up.
  func add(_ user: String) async -> DeliveryOutcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        waiting.append((user, waiter))
        // The worker owns a unit of work and gives each waiter another.
        if worker == nil { worker = clock.start { await self.work() } }
        clock.endWork()
      }
    } onCancel: {
      Task { await self.giveUp() }
    }
  }

  private func work() async {
    while !waiting.isEmpty {
      let batch = waiting.prefix(limit)
      waiting.removeFirst(batch.count)
      // A user may be told twice at once, by an event and by a replay.
      let outcomes = await write(Set(batch.map(\.user)).sorted())
      for (user, waiter) in batch {
        clock.beginWork()
        waiter.resume(
          returning: outcomes[user] ?? .unavailable(reason: "there was no outcome"))
      }
    }
    worker = nil
  }

  private func giveUp() { worker?.cancel() }
}

/// Holds back writes beyond 500 documents a second, the rate at which Firestore wants new traffic to begin:
/// https://firebase.google.com/docs/firestore/best-practices#ramping_up_traffic
actor Pace {
  private static let nanosecondsPerDocument: Int64 = 2_000_000

  private let clock: any ServiceClock
  private var free = Instant.earliest

  init(clock: any ServiceClock) { self.clock = clock }

  /// Waits until so many documents may be written; false if the task was cancelled.
  func wait(for count: Int) async -> Bool {
    let now = clock.passing()
    let begin = max(free, now)
    free = begin.adding(nanoseconds: Int64(count) * Self.nanosecondsPerDocument)
    if begin > now, (try? await clock.sleep(seconds: begin.interval(since: now))) == nil {
      return false
    }
    return !Task.isCancelled
  }
}
