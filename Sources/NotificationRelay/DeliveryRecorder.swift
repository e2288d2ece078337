import Scheduling
import Threading

/// Brings what came of deliveries to a sink's log, in order and those of many together, and begins a new log when it is time.
actor DeliveryRecorder {
  private let log: RelayLog
  private let clock: any ServiceClock
  private let thread = BlockingThread(named: "rewards.relay-log")
  private var waiting: [RelayRecord] = []
  private var last: Task<Void, any Error>?
  private let handed = Lock<[RelayRecord]>([])
  private let count = Lock(0)

  init(_ log: RelayLog, clock: any ServiceClock) {
    self.log = log
    self.clock = clock
  }

  /// How many records are handed over and not on the disk.
  nonisolated var backlog: Int { count.withLock { $0 } }

  /// Takes records over: nothing of them is lost, whatever ``flush()`` meets.
  nonisolated func add(_ records: [RelayRecord]) {
    count.withLock { $0 += records.count }
    handed.withLock { $0 += records }
  }

  /// Returns when all that was handed over is on the disk. Throws ``RelayError``; what is not there is tried again next time.
  func flush() async throws {
    let before = last
    // One after the other: what two commit at once would be there twice.
    let task = Task {
      _ = await before?.result
      try await commit()
    }
    last = task
    try await task.value
  }

  /// Begins a new log when it is time, and the clock that says so is confirmed. Throws ``RelayError``; then nothing has changed.
  func renew() async throws {
    let now = clock.now()
    guard !clock.isInDoubt, log.isDue(now: now) else { return }
    try await thread.run { [log] in try log.exchange(now: now) }
  }

  /// Flushes, and gives the log back.
  func close() async throws {
    try await flush()
    try await thread.run { [log] in try log.close() }
  }

  private func commit() async throws {
    waiting += handed.withLock { handed in
      defer { handed = [] }
      return handed
    }
    while !waiting.isEmpty {
      let (batch, at) = (Array(waiting.prefix(RelayLog.linesPerSeal)), clock.now())
      try await thread.run { [log] in try log.commit(batch, at: at) }
      waiting.removeFirst(batch.count)
      count.withLock { $0 -= batch.count }
    }
  }
}
