package import CivilTime
package import Failures

/// A destination for events: a file, a webhook or a push service.
///
/// A sink receives events and returns their outcomes. It decides nothing about order, retries or cursors, and stores
/// nothing: see ``RelayPump``. The same event may come again, with the same id and the same bytes.
package protocol Sink: Sendable {
  /// How the sink wants its events.
  var options: SinkOptions { get }
  /// Delivers `events` in order and returns one outcome for each; fewer if the rest were not tried.
  ///
  /// Called for several shipments at once, up to ``SinkOptions/shipmentsAtOnce``. A cancelled call gives up, and its
  /// outcomes do not count.
  func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome]
  /// Sends a test event; returns the outcome, and the receiver's answer if it gave one.
  func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8])
  /// Checks whether it could deliver, without sending anything; returns what it found, or throws what is wrong with its remedy.
  func checkUp() async throws(Failure) -> String
}

/// How a sink wants its events.
package struct SinkOptions: Sendable, Equatable {
  /// Whether all events come in ledger order, in one lane; otherwise only each user's events do.
  package var isOneLane = false
  /// The maximum number of shipments under way at once.
  package var shipmentsAtOnce = 64
  /// The maximum number of events in a shipment.
  package var eventsPerShipment = 1

  /// Creates the default: one event per shipment, in order for each user.
  package init() {}
}

/// The outcome of an event at a sink.
package enum DeliveryOutcome: Sendable, Equatable {
  /// The receiver has it, with its status if there is one.
  case delivered(status: Int?)
  /// This attempt failed; another may succeed.
  case failed(DeliveryFailure)
  /// No attempt will succeed: the event becomes a dead letter.
  case refused(reason: String, status: Int?)
  /// The receiver wants nothing more: the sink is paused, and the event waits.
  case gone(reason: String)
  /// The sink could not even try: no attempt is counted, and all events wait.
  case unavailable(reason: String)
  /// The event must not be sent before then, as in quiet hours: no attempt is counted, and the lane waits.
  case postponed(until: Instant)
  /// There is no device to send to, or nothing to report: the event is done.
  case notWanted
}

extension DeliveryOutcome {
  /// Whether the event is done, so that the next one of its user may be sent.
  package var isSettled: Bool {
    switch self {
    case .delivered, .refused, .notWanted: true
    case .failed, .gone, .unavailable, .postponed: false
    }
  }

  /// Whether the next event would fare no better.
  package var isSinkWide: Bool {
    switch self {
    case .unavailable: true
    case .failed(let failure): failure.isSinkWide
    case .delivered, .refused, .notWanted, .gone, .postponed: false
    }
  }
}

extension Sink {
  /// Delivers the event like any other.
  package func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    let outcome = await deliver([event]).first
    return (outcome ?? .unavailable(reason: "the sink gave no outcome"), [])
  }

  /// Finds nothing more than that the sink could be made.
  package func checkUp() async throws(Failure) -> String { "its settings and secrets are usable" }

  /// Sends events one after another, until one is not settled; returns the outcomes of those that were tried.
  package func deliverInOrder(
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
package struct DeliveryFailure: Sendable, Equatable {
  /// The reason in a few words, without secrets.
  package var reason: String
  /// The receiver's status, if it answered.
  package var status: Int?
  /// The pause that the receiver requests, in seconds, at most a day; nil for none.
  package let retryAfterSeconds: Int64?
  /// Whether the next event would fare no better: no connection, no answer, overload.
  package var isSinkWide: Bool

  /// The longest pause that a receiver may request, in seconds.
  static let longestRetryAfterSeconds: Int64 = 86_400

  package init(
    _ reason: String, status: Int? = nil, retryAfterSeconds: Int64? = nil, isSinkWide: Bool
  ) {
    self.reason = reason
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds.map {
      min(max(0, $0), Self.longestRetryAfterSeconds)
    }
    self.isSinkWide = isSinkWide
  }
}
