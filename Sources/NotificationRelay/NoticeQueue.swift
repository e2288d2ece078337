import CivilTime

/// Events about the service itself, which are in no ledger, in the order they were reported. A value, like ``DeliveryQueue``,
/// which contains it.
struct NoticeQueue: Sendable {
  /// The maximum number of notices in memory; the oldest are dropped first, because later ones say more.
  private static let limit = 256

  private var waiting: [CloudEvent] = []
  private var attempts = 0
  private var due: Instant?
  private var isUnderWay = false

  /// The only lane of notices.
  static let lane = Lane(.notice, user: "")

  /// When the next notice may be sent; nil if none is waiting, or one is under way.
  var wake: Instant? {
    isUnderWay || waiting.isEmpty ? nil : due ?? .earliest
  }

  /// Appends a notice, unless one with the same id is already waiting.
  mutating func add(_ event: CloudEvent) {
    if waiting.contains(where: { $0.id == event.id }) { return }
    if waiting.count >= Self.limit { waiting.remove(at: isUnderWay ? 1 : 0) }
    waiting.append(event)
  }

  /// Returns the next notice, on its own; nil if none may be sent.
  mutating func dequeue(now: Instant) -> Shipment? {
    guard let wake, wake <= now, let event = waiting.first else { return nil }
    isUnderWay = true
    due = nil
    let entry = LaneEntry(EventPosition(seq: 0), lane: Self.lane, event: event)
    return Shipment(lane: Self.lane, entries: [entry], attempt: attempts + 1)
  }

  /// Ends the shipment under way; with `until`, it is retried then.
  mutating func finish(isSettled: Bool, attempts: Int, until: Instant?) {
    isUnderWay = false
    self.attempts = isSettled ? 0 : attempts
    due = until
    if isSettled { waiting.removeFirst() }
  }

  /// Allows a notice that waits for a retry to be sent at once.
  mutating func release() { due = nil }
}
