public import CivilTime
public import Described

/// One attempt to deliver an event, and what came of it.
public struct DeliveryAttempt: Sendable, Equatable {
  /// How an attempt ended.
  public enum Outcome: String, Sendable, Word {
    /// The receiver has the event.
    case delivered
    /// It is tried again.
    case failed
    /// It was given up: it is sent again only when somebody asks for it.
    case dead
    /// There was nobody to send it to.
    case skipped

    /// An outcome.
    public static var noun: StaticString { "outcome of an attempt" }
  }

  /// The event's id.
  public var event: String
  /// The event's place in the ledger.
  public var position: EventPosition
  /// The lane.
  public var lane: Lane
  /// Which attempt, from 1.
  public var attempt: Int
  /// How it ended.
  public var outcome: Outcome
  /// The receiver's status, when there is one.
  public var status: Int?
  /// Why it failed.
  public var reason: String?
  /// When it is tried again; for `failed` only.
  public var next: Instant?
  /// How long after its record the event was delivered, in seconds; for `delivered` only, where the record is known.
  public var delaySeconds: Int64?

  /// Whether somebody may ask for the event again. A notice stands in no ledger.
  var isDeadLetter: Bool { outcome == .dead && lane.kind != .notice }

  /// An entry that is not sent.
  static func skipped(_ entry: Entry, _ reason: String) -> DeliveryAttempt {
    DeliveryAttempt(
      event: entry.event?.id ?? "", position: entry.position, lane: entry.lane, attempt: 1,
      outcome: .skipped, reason: reason)
  }
}

extension DeliveryAttempt: DescribedObject {
  /// Its fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
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

/// An attempt, and when it was recorded: a line of `attempts-DAY.jsonl`, and of `dead.jsonl` while nobody has asked for the event again.
public struct RecordedAttempt: Sendable, Equatable {
  /// When it was recorded.
  public let at: Instant
  /// The attempt.
  public let attempt: DeliveryAttempt
  /// Of a dead letter the number of the change: before a progress holds that, the event was not given up.
  var change = 0
}

extension RecordedAttempt: DescribedObject {
  /// Its fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    at = try coder.field("at", value?.pointee.at)
    attempt = try DeliveryAttempt(&coder, value?.pointer(to: \.attempt))
    change = try coder.field("change", value?.pointee.change, unless: 0)
  }
}

/// Dead letters that somebody has asked for: a line of `dead.jsonl`.
struct AskedLetters: DescribedObject {
  /// The number of the change: before a progress holds that, nobody has asked.
  let change: Int
  let events: [EventPosition]

  init(change: Int, events: [EventPosition]) { (self.change, self.events) = (change, events) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    change = try coder.field("change", value?.pointee.change)
    events = try coder.field("again", value?.pointee.events)
  }
}

/// What somebody did to a sink: a line among its attempts, for people who look for it.
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
  /// How many events are sent again.
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
