import Configuration
package import Described
import Failures
package import Ledger
import NotificationRelay
import Scheduling

/// Tells everybody something through the topic of a push service: `relay broadcast`.
package struct BroadcastRequest: Request {
  /// `relay broadcast`.
  package static let name = "relay broadcast"
  /// The longest title, and text and key, in UTF-8 bytes. A push holds 4 KiB at most, and the text twice.
  private static let most = (title: 256, body: 1_024)

  private let broadcast: Broadcast
  private let reason: String
  private let actor: String?
  private let approving: String?

  /// Creates a broadcast.
  package init(_ broadcast: Broadcast, reason: String, actor: String?, approving: String?) {
    self.broadcast = broadcast
    self.reason = reason
    self.actor = actor
    self.approving = approving
  }

  /// The result of an approved broadcast.
  package struct Report: Sendable {
    /// The broadcast.
    package let broadcast: Broadcast
    /// The sinks that send it.
    package let sinks: [String]
    /// Whether it was recorded now, and not with an earlier approval of the same request.
    package let isNew: Bool
  }

  /// Records the broadcast, which the sinks send from the ledger; throws unless somebody else has requested it.
  package func perform(at place: Place) async throws -> Report {
    let reason = try Reason.check(reason)
    try check()
    let sinks = place.runtime.configuration.relay.filter { sink in
      guard case .fcm(let push) = sink.kind else { return false }
      return push.topic != nil && sink.terms.events.wantsBroadcasts
    }
    guard !sinks.isEmpty else {
      throw Failure(
        .configuration, "no sink pushes broadcasts to a topic",
        remedy: "Give a sink of kind fcm a topic, and if it names events, \"broadcast\" too.")
    }
    try place.runtime.requireConfirmedClock()
    let actor = try place.actor(actor)
    let act = BigAct.broadcast(broadcast, reason: reason)
    let record = OperatorRecord(
      act: .broadcast, subject: act.id, what: broadcast.text, reason: reason, actor: actor)
    let isNew = try await place.runtime.secondActor.perform(
      act, named: "a broadcast", record, approving: approving, actor: actor)
    return Report(broadcast: broadcast, sinks: sinks.map(\.name), isNew: isNew)
  }

  private func check() throws(Failure) {
    try Self.check(broadcast.title, "--title", most: Self.most.title)
    try Self.check(broadcast.body, "--body", most: Self.most.body)
    if let key = broadcast.locKey { try Self.check(key, "--loc-key", most: Self.most.body) }
  }

  private static func check(_ text: String, _ place: String, most: Int) throws(Failure) {
    guard text.contains(where: { !$0.isWhitespace }), text.utf8.count <= most,
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw Failure(
        .usage, "expected one line of 1 to \(most) bytes without control characters",
        place: place)
    }
  }
}

extension BroadcastRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    broadcast = try Broadcast(&coder, value?.pointer(to: \.broadcast))
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
  }
}
