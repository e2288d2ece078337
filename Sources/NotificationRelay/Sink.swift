public import CivilTime

/// Somebody who is told: a file, a webhook, a push service.
///
/// A sink is handed events and says what came of each. It decides nothing about order, retries or cursors, and keeps
/// nothing: see ``RelayPump``. The same event may come again, with the same id and the same bytes.
public protocol Sink: Sendable {
  /// How events are handed over.
  var manners: SinkManners { get }
  /// Delivers `events` in order and answers with one outcome each; fewer when those behind the last were not tried.
  ///
  /// Called for several shipments at once, up to ``SinkManners/shipmentsAtOnce``. A cancelled call gives up; its outcome
  /// does not count.
  func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome]
}

/// How a sink wants its events.
public struct SinkManners: Sendable, Equatable {
  /// Whether all events come in the order of the ledger, in one lane; else each user's do.
  public var isOneLane = false
  /// How many shipments may be under way at once.
  public var shipmentsAtOnce = 64
  /// How many events a shipment may have.
  public var eventsPerShipment = 1

  /// One event at a time, in order for each user.
  public init() {}
}

/// What came of an event at a sink.
public enum DeliveryOutcome: Sendable, Equatable {
  /// The receiver has it, with its status where there is one.
  case delivered(status: Int?)
  /// This attempt failed; another may succeed.
  case failed(DeliveryFailure)
  /// No attempt will succeed: it is put among the dead letters.
  case refused(reason: String, status: Int?)
  /// The receiver wants nothing more: the sink is paused, and the event waits.
  case gone(reason: String)
  /// The sink could not even try: nothing is counted, and all wait.
  case unavailable(reason: String)
  /// It must not be sent before then, as in quiet hours: no attempt is counted, and the lane waits.
  case postponed(until: Instant)
  /// There is nobody to be told, or nothing to tell: done.
  case notWanted
}

extension DeliveryOutcome {
  /// Whether the event is done with, so that the next one of its user may go.
  public var isSettled: Bool {
    switch self {
    case .delivered, .refused, .notWanted: true
    case .failed, .gone, .unavailable, .postponed: false
    }
  }
}

extension Sink {
  /// Sends events one after the other, until one is not settled; the outcomes of those that were tried.
  public func deliverInOrder(
    _ events: [CloudEvent], by send: (CloudEvent) async -> DeliveryOutcome
  ) async -> [DeliveryOutcome] {
    var outcomes: [DeliveryOutcome] = []
    for event in events {
      let outcome = await send(event)
      outcomes.append(outcome)
      guard outcome.isSettled else { break }
    }
    return outcomes
  }
}

/// Why an attempt failed.
public struct DeliveryFailure: Sendable, Equatable {
  /// In a few words, without secrets.
  public var reason: String
  /// The receiver's status, when it answered.
  public var status: Int?
  /// How long the receiver asks to be left alone.
  public var retryAfterSeconds: Int64?
  /// Whether the next event would fare no better: no connection, no answer, overload.
  public var isSinkWide: Bool

  /// A failure.
  public init(
    _ reason: String, status: Int? = nil, retryAfterSeconds: Int64? = nil, isSinkWide: Bool
  ) {
    self.reason = reason
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.isSinkWide = isSinkWide
  }
}
