import CivilTime
package import Foundations
import HTTPClient
import Ledger
import Scheduling

/// Delivers committed records to a sink: reads them behind the ledger's head, sends what its queue decides, and records the
/// outcomes.
///
/// A thin shell around ``DeliveryQueue``. A slow or unavailable sink delays no other.
package actor RelayPump {
  /// How long to wait before reading or recording again after a failure.
  private static let repairSeconds: Int64 = 5
  /// How many unrecorded changes stop further deliveries.
  private static let changesInMemory = 8_192

  private let parts: PumpParts
  private var queue: DeliveryQueue
  private var random: SplitMix64
  private let readThread = BlockingThread(named: "rewards.relay")
  private let writeThread = BlockingThread(named: "rewards.relay-files")
  private let delivery: ShipmentDelivery
  private let pokes: AsyncStream<Void>
  private let poke: AsyncStream<Void>.Continuation
  private var shipments: [Int: Task<Void, Never>] = [:]
  private var nextShipment = 0
  private var alarm: (at: Instant, task: Task<Void, Never>)?
  private var recording: Task<Void, Never>?
  private var repairAt: Instant?
  private var isSending = true
  private var isFinishing = false
  /// Whether the last change has been compared with a confirmed clock.
  private var hasCheckedClock = false
  private let notices = Lock<[CloudEvent]>([])
  private var news: SinkNews
  private var deliverySeconds = Histogram()

  /// Creates a pump that continues from its sink's progress. Nothing happens before ``run()``.
  package init(_ parts: PumpParts) {
    self.parts = parts
    random = parts.random
    delivery = ShipmentDelivery(
      sink: parts.sink, accounts: parts.accounts, isForgotten: parts.isForgotten)
    news = SinkNews(onTrouble: parts.onTrouble, onPause: parts.onPause)
    queue = DeliveryQueue(
      parts.sink.options, limits: parts.limits, after: parts.writer.progress
    )
    (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Signals that the head has advanced; costs nothing and returns at once.
  package nonisolated func noteCommit() { poke.yield() }

  /// Delivers committed records, now and whenever the head advances, until ``finish(withinSeconds:)``.
  package func run() async {
    poke.yield()
    for await _ in pokes {
      if await work() { poke.finish() }
    }
    alarm?.task.cancel()
    alarm = nil
    await close()
  }

  /// Delivers what is ready or under way, for at most this many seconds; what is still under way then is abandoned and sent again
  /// after the next start. ``run()`` then returns.
  package func finish(withinSeconds seconds: Double) {
    isFinishing = true
    let clock = parts.clock
    clock.beginWork()
    let deadline = Task {
      // Two thirds for sending what is ready, the rest for answers.
      if (try? await clock.sleep(seconds: seconds * 2 / 3)) != nil {
        stopSending()
        if (try? await clock.sleep(seconds: seconds / 3)) != nil { giveUp() }
      }
      clock.endWork()
    }
    alarm?.task.cancel()
    alarm = (.latest, deadline)
    poke.yield()
  }

  /// Sends the sink a notice that is in no ledger, if it wants such notices.
  ///
  /// Recorded only once it was tried: a notice not delivered when the process ends is lost.
  package nonisolated func enqueue(_ notice: CloudEvent) {
    guard parts.reader.wants(notice) else { return }
    notices.withLock { $0.append(notice) }
    poke.yield()
  }

  /// Stops all deliveries until ``resume(actor:)``. Throws if this cannot be recorded.
  package func pause(reason: String, actor: String) async throws {
    queue.pause(reason: reason, actor: actor)
    try await recordNow()
  }

  /// Signals that the clock was set back far: everything postponed before then is retried at once.
  package func noteClockSetBack() {
    queue.forgetDues()
    repairAt = nil
    poke.yield()
  }

  /// Resumes deliveries. Throws if this cannot be recorded.
  package func resume(actor: String) async throws {
    queue.resume(actor: actor)
    try await recordNow()
    poke.yield()
  }

  /// Sends these events of each user again.
  package func replay(_ positions: [String: [EventPosition]], actor: String) async throws {
    queue.replay(positions, actor: actor)
    try await recordNow()
    poke.yield()
  }

  /// Removes the attempts and the dead letters that name `user`; returns how many.
  package func erase(_ user: String) async throws -> Int {
    try await recordNow()
    let (writer, now) = (parts.writer, now)
    return try await writeThread.run { try writer.erase(user, at: now) }
  }

  /// What is holding up deliveries at the moment; nil if nothing is.
  package var trouble: String? { queue.trouble }

  /// The sink's current figures.
  package var figures: SinkFigures {
    SinkFigures(
      progress: parts.writer.progress, cursor: queue.cursor.seq, head: parts.reader.head,
      lanesBehind: queue.lanesBehind, entries: queue.entries,
      isOpen: queue.breaker.state != .closed, isPaused: queue.isPaused,
      deliverySeconds: deliverySeconds)
  }

  /// Does everything that can be done now; returns true when the pump should end.
  private func work() async -> Bool {
    if let repairAt, repairAt <= now { self.repairAt = nil }
    if !hasCheckedClock, !parts.clock.isInDoubt {
      hasCheckedClock = true
      if parts.writer.isAhead(of: now) { queue.forgetDues() }
    }
    updateNews()
    let told = notices.withLock { notices in
      defer { notices = [] }
      return notices
    }
    for notice in told { queue.add(notice: notice) }
    send()
    while isSending, let part = queue.nextRead(head: parts.reader.head, now: now) {
      let reader = parts.reader
      do {
        let portion = try await readThread.run { try reader.read(part) }
        queue.add(portion, for: part, now: now)
        updateNews()
      } catch {
        queue.giveBack(part)
        updateNews("the ledger could not be read: \(error)")
        repairAt = now.adding(seconds: Self.repairSeconds)
        break
      }
      send()
    }
    record()
    setAlarm()
    // Whatever cannot be sent now waits for the next start.
    return isFinishing && queue.underWay == 0 && recording == nil
  }

  private var now: Instant { parts.clock.now() }

  private func send() {
    while isSending, queue.changeCount + parts.writer.backlog < Self.changesInMemory,
      let shipment = queue.dequeue(now: now)
    {
      let number = nextShipment
      nextShipment += 1
      let (delivery, clock) = (delivery, parts.clock)
      clock.beginWork()
      let sentAt = now
      shipments[number] = Task {
        let outcomes = await delivery.deliver(shipment, now: clock.certain())
        deliverySeconds.observe(now.interval(since: sentAt))
        settle(number, shipment, Task.isCancelled ? [] : outcomes)
        clock.endWork()
      }
    }
  }

  private func settle(_ number: Int, _ shipment: Shipment, _ outcomes: [DeliveryOutcome]) {
    shipments[number] = nil
    queue.settle(shipment, outcomes, now: now, jitter: random.fraction())
    updateNews()
    send()
    poke.yield()
  }

  /// Writes changes to disk, those of many deliveries together.
  private func record() {
    guard recording == nil, repairAt == nil else { return }
    parts.writer.apply(queue.dequeueChanges(), at: now)
    let isResting = queue.underWay == 0
    guard parts.writer.isDue(isResting: isResting) else { return }
    recording = Task {
      defer { recording = nil }
      do {
        try await write(isResting: isResting)
      } catch {
        updateNews("deliveries cannot be recorded: \(error)")
        repairAt = now.adding(seconds: Self.repairSeconds)
      }
      poke.yield()
    }
  }

  /// Writes an operator's request to disk before reporting success.
  private func recordNow() async throws {
    parts.writer.apply(queue.dequeueChanges(), at: now)
    defer { poke.yield() }
    do {
      try await write(isResting: true)
    } catch let error as RelayError {
      repairAt = now.adding(seconds: Self.repairSeconds)
      throw error.inForce
    }
  }

  private func write(isResting: Bool) async throws {
    let (writer, now, mayForget) = (parts.writer, now, !parts.clock.isInDoubt)
    let unlogged = try await writeThread.run {
      try writer.write(at: now, isResting: isResting, mayForget: mayForget)
    }
    if let unlogged { updateNews("attempts cannot be logged: \(unlogged)") }
  }

  private func setAlarm() {
    let now = now
    // What is due already waits for something else.
    guard !isFinishing,
      let due = [queue.wake, repairAt].compactMap({ $0 }).filter({ $0 > now }).min(),
      alarm.map({ due < $0.at }) ?? true
    else { return }
    alarm?.task.cancel()
    let clock = parts.clock
    clock.beginWork()
    let task = Task {
      if (try? await clock.sleep(until: due)) != nil { ring(due) }
      clock.endWork()
    }
    alarm = (due, task)
  }

  private func ring(_ due: Instant) {
    if alarm?.at == due { alarm = nil }
    if let repairAt, repairAt <= now { self.repairAt = nil }
    poke.yield()
  }

  private func stopSending() {
    isSending = false
    poke.yield()
  }

  private func giveUp() {
    for (_, shipment) in shipments { shipment.cancel() }
  }

  private func updateNews(_ ownTrouble: String? = nil) {
    news.update(trouble: ownTrouble ?? queue.trouble, pause: queue.pauseReason)
  }

  private func close() async {
    while let recording { await recording.value }
    parts.writer.apply(queue.dequeueChanges(isFinal: true), at: now)
    do {
      try await write(isResting: true)
    } catch {
      // Unrecorded deliveries are repeated after the next start, with the same ids.
      updateNews("deliveries could not be recorded: \(error)")
    }
  }
}

/// A sink's state in figures.
package struct SinkFigures: Sendable {
  /// Its progress, including what is not on disk yet.
  package let progress: RelayProgress
  /// The line up to which everything is settled, except for lanes that are behind.
  package let cursor: UInt64
  /// The ledger's last line.
  package let head: UInt64
  /// The number of lanes that are behind.
  package let lanesBehind: Int
  /// The number of events in memory.
  package let entries: Int
  /// Whether the circuit is open.
  package let isOpen: Bool
  /// Whether an operator or the receiver has stopped all deliveries.
  package let isPaused: Bool
  /// How long shipments took, in seconds.
  package let deliverySeconds: Histogram
}

/// Reports when troubles and pauses begin and end, without repetition.
private struct SinkNews {
  let onTrouble: @Sendable (String?) -> Void
  let onPause: @Sendable (String?) -> Void
  private var trouble: String?
  private var pause: String??

  init(
    onTrouble: @escaping @Sendable (String?) -> Void, onPause: @escaping @Sendable (String?) -> Void
  ) {
    self.onTrouble = onTrouble
    self.onPause = onPause
  }

  mutating func update(trouble: String?, pause: String?) {
    if (trouble == nil) != (self.trouble == nil) { onTrouble(trouble) }
    self.trouble = trouble
    if self.pause != .some(pause) { onPause(pause) }
    self.pause = .some(pause)
  }
}
