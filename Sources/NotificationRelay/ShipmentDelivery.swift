import CivilTime

/// Tells what an account holds, for sinks that are sent accounts.
public protocol AccountTelling: Sendable {
  /// The user's state now as an event; nil when the user is not known.
  func event(of user: String) async -> CloudEvent?
  /// Whether the user's streak breaks when the running day ends, should nothing more happen.
  func isStreakAtRisk(_ user: String) async -> Bool
}

/// Hands shipments to a sink, as events of the present: accounts as they are now, and nothing that has lost its point.
struct ShipmentDelivery: Sendable {
  let sink: any Sink
  let accounts: (any AccountTelling)?

  /// What came of each of the shipment's entries, in order; fewer when those behind the last were not tried.
  func deliver(_ shipment: Shipment, now: Instant) async -> [DeliveryOutcome] {
    var events: [CloudEvent] = []
    for entry in shipment.entries {
      guard let event = await event(of: entry, now: now) else {
        // Those before it first: what is behind it is shipped again.
        return events.isEmpty ? [.notWanted] : await sink.deliver(events)
      }
      events.append(event)
    }
    return await sink.deliver(events)
  }

  /// What to send of an entry; nil when there is nothing to be told, or it has come to nothing meanwhile.
  private func event(of entry: Entry, now: Instant) async -> CloudEvent? {
    guard let event = entry.event else { return await accounts?.event(of: entry.lane.user) }
    guard let pointless = event.pointlessFrom else { return event }
    if now >= pointless { return nil }
    guard let accounts, let user = event.subject else { return event }
    return await accounts.isStreakAtRisk(user) ? event : nil
  }
}
