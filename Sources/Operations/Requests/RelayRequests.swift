import CivilTime
package import Described
import Failures
import NotificationRelay

/// Pauses deliveries to a sink: `rewards relay pause`.
package struct SinkPauseRequest: Request {
  /// `relay pause`.
  package static let name = "relay pause"

  /// The sink's name.
  package let sink: String
  private let reason: String
  private let actor: String?

  /// Creates a pause of a sink.
  package init(of sink: String, reason: String, actor: String?) {
    self.sink = sink
    self.reason = reason
    self.actor = actor
  }

  /// Stops deliveries until the sink is resumed.
  package func perform(at place: Place) async throws {
    try await RelayActs(place.runtime).pause(
      sink, reason: try Reason.check(reason), actor: try place.actor(actor))
  }
}

extension SinkPauseRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    sink = try coder.field("sink", value?.pointee.sink)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}

/// Resumes deliveries to a sink: `rewards relay resume`.
package struct SinkResumeRequest: Request {
  /// `relay resume`.
  package static let name = "relay resume"

  /// The sink's name.
  package let sink: String

  /// Creates the end of a sink's pause.
  package init(of sink: String) { self.sink = sink }

  /// Resumes deliveries.
  package func perform(at place: Place) async throws {
    try await RelayActs(place.runtime).resume(sink)
  }
}

extension SinkResumeRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    sink = try coder.field("sink", value?.pointee.sink)
  }
}

/// Sends events again: `rewards relay replay`.
package struct ReplayRequest: Request {
  /// `relay replay`.
  package static let name = "relay replay"

  private let event: String?
  private let isDead: Bool
  private let from: Instant?
  private let to: Instant?
  private let sink: String?
  private let user: String?
  private let verdict: StoreMemory.Verdict?

  /// Creates a replay of the events of `choice` to one sink, or to all.
  package init(_ choice: RelayActs.Choice, to sink: String?) {
    var (event, times): (String?, (Instant, Instant)?)
    var isDead = false
    var (user, verdict): (String?, StoreMemory.Verdict?)
    switch choice {
    case .event(let id): event = id
    case .made(let from, let to): times = (from, to)
    case .dead: isDead = true
    case .state(let id, let said): (user, verdict) = (id, said)
    }
    self.user = user
    self.verdict = verdict
    self.isDead = isDead
    self.event = event
    from = times?.0
    to = times?.1
    self.sink = sink
  }

  /// Queues the events; returns how many, by sink.
  package func perform(at place: Place) async throws -> [(sink: String, count: Int)] {
    let choice: RelayActs.Choice
    switch (event, from, to, isDead, user) {
    case (let event?, nil, nil, false, nil): choice = .event(event)
    case (nil, let from?, let to?, false, nil) where from <= to: choice = .made(from: from, to: to)
    case (nil, nil, nil, true, nil): choice = .dead
    case (nil, nil, nil, false, let user?): choice = .state(of: user, verdict)
    default:
      throw Failure(
        .usage, "choose the events by KEY, by --from and --to, by --dead, or by --user",
        remedy: "Give exactly one of them.")
    }
    return try await RelayActs(place.runtime).replay(choice, sink: sink)
  }
}

extension ReplayRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    event = try coder.optional("event", value?.pointee.event)
    isDead = try coder.field("dead", value?.pointee.isDead)
    from = try coder.optional("from", value?.pointee.from)
    to = try coder.optional("to", value?.pointee.to)
    sink = try coder.optional("sink", value?.pointee.sink)
    user = try coder.optional("user", value?.pointee.user)
    verdict = try coder.optional("verdict", value?.pointee.verdict)
  }
}
