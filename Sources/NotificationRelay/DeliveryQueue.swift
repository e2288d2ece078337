package import CivilTime
package import HTTPClient
package import Ledger

extension RetrySchedule {
  /// The schedule for deliveries, from Standard Webhooks; after the tenth failure, the event is dead.
  /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
  package static let deliveries = RetrySchedule(
    delaysSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    jitter: .aFifth)
}

extension CircuitBreaker.Policy {
  /// The policy for a sink.
  static let sink = Self(opensAfter: .inARow(5), pauseSeconds: 5...300, probesToClose: 1)
}

/// Decides what to send a sink next, when to retry failures, and how far the sink has come.
///
/// A value: it sends nothing, reads nothing and has no clock. Whatever must survive a crash is returned as changes, to be applied
/// in order.
package struct DeliveryQueue: Sendable {
  private let options: SinkOptions
  private let limits: QueueLimits
  private let retries: RetrySchedule
  private var lanes: LaneQueue
  private var notices = NoticeQueue()
  private var recordedCursor: LedgerHead
  private var hasSettled = false
  /// Limits attempts while the receiver is failing.
  package private(set) var breaker = CircuitBreaker(.sink)
  /// Whether an operator or the receiver has stopped all deliveries.
  package var isPaused: Bool { pauseReason != nil }
  /// Why an operator or the receiver has stopped all deliveries; nil if deliveries are not stopped.
  package private(set) var pauseReason: String?
  /// The number of shipments under way.
  package private(set) var underWay = 0
  /// Why deliveries are held up; nil if the last attempt succeeded.
  package private(set) var trouble: String?

  /// Creates a queue that continues from `progress`.
  package init(
    _ options: SinkOptions, limits: QueueLimits = QueueLimits(),
    retries: RetrySchedule = .deliveries, after progress: RelayProgress
  ) {
    self.options = options
    self.retries = retries
    var limits = limits
    if options.isOneLane { limits.entriesPerLane = .max }
    self.limits = limits
    lanes = LaneQueue(limits, after: progress)
    recordedCursor = progress.cursor
    pauseReason = progress.pause?.reason
  }

  /// The seal up to which everything is settled, except for the lanes that are behind.
  package var cursor: LedgerHead { lanes.cursor }
  /// The number of entries in memory.
  package var entries: Int { lanes.entries }
  /// The number of lanes that are behind the cursor, or will be when it passes them.
  package var lanesBehind: Int { lanes.lanesBehind }

  /// Queues an event that is in no ledger.
  package mutating func add(notice: CloudEvent) { notices.add(notice) }

  /// Returns the next part of the ledger to read; nil if there is nothing to read or no room. Pass the result to
  /// ``add(_:for:now:)`` before calling this again.
  package mutating func nextRead(head: UInt64, now: Instant) -> LedgerPart? {
    lanes.nextRead(head: head, now: now, mayCatchUp: !isPaused && !breaker.refuses(at: now))
  }

  /// Takes back a part that could not be read.
  package mutating func giveBack(_ part: LedgerPart) { lanes.giveBack(part) }

  /// Adds a portion read for a part.
  package mutating func add(_ portion: LanePortion, for part: LedgerPart, now: Instant) {
    lanes.add(portion, for: part, now: now)
  }

  /// Returns the next shipment; nil if nothing is ready or allowed. Pass its outcomes to ``settle(_:_:now:jitter:)``.
  package mutating func dequeue(now: Instant) -> Shipment? {
    guard !isPaused, underWay < options.shipmentsAtOnce, !breaker.refuses(at: now),
      let shipment = notices.dequeue(now: now)
        ?? lanes.dequeue(limit: options.eventsPerShipment, now: now)
    else { return nil }
    breaker.admit(at: now)
    underWay += 1
    return shipment
  }

  /// Records the outcomes of a shipment; without outcomes it counts as never sent. `jitter` is a random number from 0 to 1.
  package mutating func settle(
    _ shipment: Shipment, _ outcomes: [DeliveryOutcome], now: Instant, jitter: Double
  ) {
    underWay -= 1
    if outcomes.isEmpty { report(.nothing, now) }
    var settled = 0
    var attempts = shipment.attempt - 1
    var until: Instant?
    var isPostponed = false
    for (entry, outcome) in zip(shipment.entries, outcomes) {
      if case .postponed(let due) = outcome {
        report(.nothing, now)
        until = due
        isPostponed = true
        break
      }
      let verdict = judge(entry, outcome, attempt: attempts + 1, now, jitter)
      guard case .settled = verdict else {
        if case .later(let due) = verdict {
          until = due
          attempts += 1
        }
        break
      }
      settled += 1
      attempts = 0
    }
    if shipment.lane.kind == .notice {
      notices.finish(isSettled: settled > 0, attempts: attempts, until: until)
      return
    }
    hasSettled = hasSettled || settled > 0 || until != nil
    lanes.finish(
      shipment.lane, settled: settled, attempts: attempts, until: until,
      isRecorded: !isPostponed)
  }

  private enum Disposition {
    case settled
    case later(Instant)
    case stays
  }

  private mutating func judge(
    _ entry: LaneEntry, _ outcome: DeliveryOutcome, attempt: Int, _ now: Instant, _ jitter: Double
  ) -> Disposition {
    switch outcome {
    case .delivered(let status):
      report(.good, now)
      trouble = nil
      recordAttempt(
        entry, attempt, .delivered, status: status,
        delaySeconds: entry.event.map { max(0, now.seconds(since: $0.time)) })
      if entry.lane.kind == .account, limits.accountEverySeconds > 0 {
        let until = now.adding(seconds: limits.accountEverySeconds)
        lanes.space(entry.lane, until: until, now: now)
      }
    case .postponed(let due): return .later(due)
    case .notWanted:
      report(.nothing, now)
      recordAttempt(entry, attempt, .skipped)
    case .refused(let reason, let status):
      report(.good, now)
      recordAttempt(entry, attempt, .dead, status: status, reason: reason)
    case .failed(let failure): return judge(entry, failure, attempt: attempt, now, jitter)
    case .gone(let reason):
      report(.good, now)
      pause(reason: reason, actor: "relay")
      return .stays
    case .unavailable(let reason):
      if trouble != reason { lanes.changes.append(.hindered(reason: reason)) }
      trouble = reason
      report(.down(seconds: 0), now, jitter)
      return .stays
    }
    return .settled
  }

  private mutating func judge(
    _ entry: LaneEntry, _ failure: DeliveryFailure, attempt: Int, _ now: Instant, _ jitter: Double
  ) -> Disposition {
    trouble = failure.reason
    let asked = failure.retryAfterSeconds ?? 0
    if failure.isSinkWide {
      report(asked > 0 ? .down(seconds: asked) : .bad, now, jitter)
    } else {
      report(.good, now)
    }
    let due = retries.delaySeconds(after: attempt, retryAfterSeconds: asked, random: jitter)
      .map { now.adding(nanoseconds: Int64($0 * 1_000) * 1_000_000) }
    recordAttempt(
      entry, attempt, due == nil ? .dead : .failed, status: failure.status,
      reason: failure.reason, next: due)
    return due.map { .later($0) } ?? .settled
  }

  /// Reports to the breaker; a shipment from before it opened counts like a probe.
  private mutating func report(
    _ report: CircuitBreaker.Report, _ now: Instant, _ jitter: Double = 0
  ) {
    breaker.report(report, wasProbe: true, at: now, jitter: jitter)
  }

  /// Stops all deliveries until ``resume(actor:)``; shipments under way are finished.
  package mutating func pause(reason: String, actor: String) {
    pauseReason = reason
    lanes.changes.append(.paused(reason: reason, actor: actor))
  }

  /// Resumes deliveries at once, without waiting for retries postponed by earlier failures.
  package mutating func resume(actor: String) { goOn(actor: actor, isFree: false) }

  /// Retries at once everything that a clock running ahead has postponed, without counting an attempt. While deliveries are
  /// paused, this is left to ``resume(actor:)``.
  package mutating func forgetDues() { if !isPaused { goOn(actor: "relay", isFree: true) } }

  private mutating func goOn(actor: String, isFree: Bool) {
    pauseReason = nil
    breaker = CircuitBreaker(.sink)
    lanes.release(isFree: isFree)
    notices.release()
    lanes.changes.append(.resumed(actor: actor))
  }

  /// Sends these events of each user again, in this order and with the same ids.
  package mutating func replay(_ positions: [String: [EventPosition]], actor: String) {
    for (user, positions) in positions.sorted(by: { $0.key < $1.key }) {
      lanes.changes.append(.replay(user: user, positions: positions, actor: actor))
      lanes.replay(positions, of: user)
    }
  }

  /// When the next blocked action becomes possible; nil if something else must happen first.
  package var wake: Instant? {
    if isPaused || breaker.isProbeOut { return nil }
    let waiting = [lanes.earliestWaiting, notices.wake].compactMap { $0 }.min()
    guard let opens = breaker.probesAt else { return waiting }
    if lanes.isReady || lanes.isReading { return opens }
    return waiting.map { max($0, opens) }
  }

  /// The number of changes to be dequeued.
  package var changeCount: Int { lanes.changes.count }

  /// Returns the changes since the last call, with the cursor if it has moved and either something was settled, it has moved far,
  /// or `isFinal` is true.
  package mutating func dequeueChanges(isFinal: Bool = false) -> [RelayChange] {
    let moved = cursor.seq - recordedCursor.seq
    if moved > 0, hasSettled || moved >= Self.silentMove || isFinal {
      lanes.changes.append(.cursor(cursor))
      recordedCursor = cursor
      hasSettled = false
    }
    defer { lanes.changes = [] }
    return lanes.changes
  }

  /// How far the cursor may move over lines that are not for the sink before the move is recorded.
  private static let silentMove: UInt64 = 10_000

  private mutating func recordAttempt(
    _ entry: LaneEntry, _ attempt: Int, _ outcome: DeliveryAttempt.Outcome, status: Int? = nil,
    reason: String? = nil, next: Instant? = nil, delaySeconds: Int64? = nil
  ) {
    // One lane in ledger order: the cursor says it all.
    if options.isOneLane, outcome == .delivered { return }
    lanes.changes.append(
      .attempt(
        DeliveryAttempt(
          event: entry.event?.id ?? "", position: entry.position, lane: entry.lane,
          attempt: attempt, outcome: outcome, status: status, reason: reason, next: next,
          delaySeconds: delaySeconds)))
  }
}
