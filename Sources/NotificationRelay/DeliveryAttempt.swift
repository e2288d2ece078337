package import CivilTime
package import Described

/// One attempt to deliver an event, and its outcome.
package struct DeliveryAttempt: Sendable, Equatable {
  /// How an attempt ended.
  package enum Outcome: String, Sendable, Word {
    /// The receiver has the event.
    case delivered
    /// The delivery failed and will be retried.
    case failed
    /// The event was given up: it is sent again only on request.
    case dead
    /// There was no device to send to, or nothing to report.
    case skipped

    /// The noun for outcomes.
    package static var noun: StaticString { "outcome of an attempt" }
  }

  /// The event's id.
  package var event: String
  /// The event's position in the ledger.
  package var position: EventPosition
  /// The lane.
  package var lane: Lane
  /// The number of the attempt, from 1.
  package var attempt: Int
  /// How it ended.
  package var outcome: Outcome
  /// The receiver's status, if there is one.
  package var status: Int?
  /// Why it failed.
  package var reason: String?
  /// When it will be retried; for `failed` only.
  package var next: Instant?
  /// How long after its record the event was delivered, in seconds; for `delivered` only, if the record is known.
  package var delaySeconds: Int64?

  /// Whether the event may be requested again; never for notices, which are in no ledger.
  var isDeadLetter: Bool { outcome == .dead && lane.kind != .notice }

  /// The user whose state was to be delivered; nil for an event.
  var stateOf: String? { event.isEmpty && lane.kind != .notice ? lane.user : nil }

  /// Returns whether the attempt names `user`: as its lane, or in the event's id.
  func names(_ user: String) -> Bool {
    lane.user == user || event.hasPrefix("\(user)/") || event.contains("/account/\(user)/")
  }

  /// Returns the attempt for an entry that is not sent.
  static func skipped(_ entry: LaneEntry, _ reason: String) -> DeliveryAttempt {
    DeliveryAttempt(
      event: entry.event?.id ?? "", position: entry.position, lane: entry.lane, attempt: 1,
      outcome: .skipped, reason: reason)
  }
}

extension DeliveryAttempt: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    event = try coder.field("event", value?.pointee.event)
    position = try EventPosition(&coder, value?.pointer(to: \.position))
    lane = try Lane(&coder, value?.pointer(to: \.lane))
    attempt = try coder.field("attempt", value?.pointee.attempt)
    outcome = try coder.field("outcome", value?.pointee.outcome)
    status = try coder.optional("status", value?.pointee.status)
    reason = try coder.optional("reason", value?.pointee.reason)
    next = try coder.optional("next", value?.pointee.next)
    delaySeconds = try coder.optional("delay", value?.pointee.delaySeconds)
  }
}

/// An attempt and when it was recorded: a line of `attempts-DAY.jsonl`, and of `dead.jsonl` until the event is
/// requested again.
package struct RecordedAttempt: Sendable, Equatable {
  /// When it was recorded.
  package let at: Instant
  /// The attempt.
  package let attempt: DeliveryAttempt
  /// For a dead letter, the number of the change: the event counts as given up only once a progress includes it.
  var change = 0
}

extension RecordedAttempt: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    at = try coder.field("at", value?.pointee.at)
    attempt = try DeliveryAttempt(&coder, value?.pointer(to: \.attempt))
    change = try coder.field("change", value?.pointee.change, unless: 0)
  }
}

/// Dead letters that were requested again: a line of `dead.jsonl`.
struct ReplayedDeadLetters: DescribedObject {
  /// The number of the change: the request counts only once a progress includes it.
  let change: Int
  let events: [EventPosition]

  init(change: Int, events: [EventPosition]) { (self.change, self.events) = (change, events) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    change = try coder.field("change", value?.pointee.change)
    events = try coder.field("again", value?.pointee.events)
  }
}

/// An operator's act on a sink: a line among its attempts, for people to find.
struct RelayAct {
  enum Act: String, Word {
    case pause, resume, replay

    static var noun: StaticString { "act" }
  }

  let at: Instant
  let act: Act
  /// The operator's account; `relay` for the service itself.
  let by: String
  /// The reason of a pause.
  var reason: String?
  /// The number of events sent again.
  var events: Int?
}

extension RelayAct: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    at = try coder.field("at", value?.pointee.at)
    act = try coder.field("act", value?.pointee.act)
    by = try coder.field("by", value?.pointee.by)
    reason = try coder.optional("reason", value?.pointee.reason)
    events = try coder.optional("events", value?.pointee.events)
  }
}
