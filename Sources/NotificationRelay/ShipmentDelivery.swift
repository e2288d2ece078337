import CivilTime

/// A source of account states, for sinks that receive them.
package protocol AccountSource: Sendable {
  /// Returns the user's current state as an event; nil for an unknown user.
  func event(of user: String) async -> CloudEvent?
  /// Returns whether the user's streak will break at the end of the current day if nothing more happens.
  func isStreakAtRisk(_ user: String) async -> Bool
}

/// Delivers shipments to a sink as they are at present: with current account states, and without events that have become
/// pointless or are about somebody who was forgotten.
struct ShipmentDelivery: Sendable {
  let sink: any Sink
  let accounts: (any AccountSource)?
  let isForgotten: @Sendable (String) -> Bool

  /// Returns the outcome of each of the shipment's entries, in order; fewer if the rest were not tried.
  func deliver(_ shipment: Shipment, now: Instant) async -> [DeliveryOutcome] {
    var events: [CloudEvent] = []
    for entry in shipment.entries {
      guard let event = await event(of: entry, now: now) else {
        // Events before it go first; those after it are shipped again.
        return events.isEmpty ? [.notWanted] : await sink.deliver(events)
      }
      events.append(event)
    }
    return await sink.deliver(events)
  }

  /// Returns the event to send for an entry; nil if there is nothing to report, or it has become pointless.
  private func event(of entry: LaneEntry, now: Instant) async -> CloudEvent? {
    if let user = entry.event?.subject ?? (entry.event == nil ? entry.lane.user : nil),
      entry.event?.type != .userForgotten, isForgotten(user)
    {
      return nil
    }
    guard let event = entry.event else { return await accounts?.event(of: entry.lane.user) }
    guard let pointless = event.pointlessFrom else { return event }
    if now >= pointless { return nil }
    guard let accounts, let user = event.subject else { return event }
    return await accounts.isStreakAtRisk(user) ? event : nil
  }
}
