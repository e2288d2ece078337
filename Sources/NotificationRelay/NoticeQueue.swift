import CivilTime

/// Events that stand in no ledger, in the order in which they were told: how the service itself is. A value, as
/// ``DeliveryQueue``, of which it is a part.
struct NoticeQueue: Sendable {
  /// Notices in memory at most: of more the oldest are dropped, for what came later says more.
  private static let limit = 256

  private var waiting: [CloudEvent] = []
  private var attempts = 0
  private var due: Instant?
  private var isUnderWay = false

  /// The one lane of notices.
  static let lane = Lane(.notice, user: "")

  /// When the next may go; nil when none waits, or one is under way.
  var wake: Instant? {
    isUnderWay || waiting.isEmpty ? nil : due ?? .earliest
  }

  /// Puts a notice behind the others; one that waits already, by its id, is not put twice.
  mutating func add(_ event: CloudEvent) {
    if waiting.contains(where: { $0.id == event.id }) { return }
    if waiting.count >= Self.limit { waiting.remove(at: isUnderWay ? 1 : 0) }
    waiting.append(event)
  }

  /// The next notice, alone; nil when none may go.
  mutating func dequeue(now: Instant) -> Shipment? {
    guard let wake, wake <= now, let event = waiting.first else { return nil }
    isUnderWay = true
    due = nil
    let entry = Entry(EventPosition(seq: 0), lane: Self.lane, event: event)
    return Shipment(lane: Self.lane, entries: [entry], attempt: attempts + 1)
  }

  /// Ends the shipment under way; with `until` it is tried again then.
  mutating func finish(isSettled: Bool, attempts: Int, until: Instant?) {
    isUnderWay = false
    self.attempts = isSettled ? 0 : attempts
    due = until
    if isSettled { waiting.removeFirst() }
  }

  /// Lets a notice that waits for a retry go at once.
  mutating func release() { due = nil }
}
