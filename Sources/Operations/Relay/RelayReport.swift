package import CivilTime
package import Configuration
import Foundations
import Ledger
package import LedgerStore
package import NotificationRelay

/// The state of deliveries on disk. Changes nothing; may be read while a service runs.
package struct RelayReport: Sendable {
  /// The status of a sink.
  package struct Status: Sendable {
    /// The sink's name.
    package let sink: String
    /// `file`, `webhook` or `fcm`.
    package let kind: String
    /// The progress of deliveries.
    package let progress: RelayProgress
    /// The number of events still to be sent.
    package var waiting = 0
    /// When the first of them was recorded.
    package var oldest: Instant?
  }

  /// An event whose delivery was given up.
  package struct DeadLetter: Sendable {
    /// The event's id.
    package let event: String
    /// The event's position in the ledger.
    package let position: EventPosition
    /// The user; empty for events of no user.
    package let user: String
    /// When it was given up.
    package let at: Instant
    /// The number of attempts.
    package let attempts: Int
    /// The reason the last one failed.
    package let reason: String
  }

  private let configuration: Configuration

  /// Creates a report on this configuration's data folder.
  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// Returns the status of every sink, in the order of the configuration; `ledger` is nil when there is none yet.
  package func status(in ledger: LedgerReader?) async throws -> [Status] {
    let configuration = configuration
    return try await BlockingThread(named: "rewards.relay-report").run {
      let directory = configuration.directory
      return try configuration.relay.map { sink in
        var status = Status(
          sink: sink.name, kind: sink.kind.name.rawValue,
          progress: try SinkFolder(sink.name, in: directory).progress())
        status.waiting = status.progress.replays.values.reduce(0) { $0 + $1.positions.count }
        var changed: Set<Lane> = []
        try Self.entries(sink, ledger, after: status.progress.firstUnsettled) { entry, at in
          // Of a state, however often it changed, one event waits. Those behind are counted as such.
          guard status.progress.isWaiting(entry.position, in: entry.lane) else { return }
          if entry.lane.kind == .account {
            let isBehind = status.progress.behind[entry.lane] != nil
            if isBehind || !changed.insert(entry.lane).inserted { return }
          }
          status.waiting += 1
          status.oldest = status.oldest ?? at
        }
        return status
      }
    }
  }

  /// Returns a sink's dead letters that were not replayed, in the order they were given up.
  package func dead(_ sink: String) async throws -> [DeadLetter] {
    let directory = configuration.directory
    return try await BlockingThread(named: "rewards.relay-report").run {
      try SinkFolder(sink, in: directory).deadLetters().map { letter in
        DeadLetter(
          event: letter.attempt.event, position: letter.attempt.position,
          user: letter.attempt.lane.user, at: letter.at, attempts: letter.attempt.attempt,
          reason: letter.attempt.reason ?? "")
      }
    }
  }

  /// Returns the positions and users of events of `choice` that a sink has received.
  func delivered(
    _ sink: Configuration.Sink, _ choice: RelayActs.Choice
  ) async throws -> [(EventPosition, String)] {
    let directory = configuration.directory
    let ledger = try await LedgerReading.openIfThere(directory)
    return try await BlockingThread(named: "rewards.relay-report").run {
      let progress = try SinkFolder(sink.name, in: directory).progress()
      var found: [(EventPosition, String)] = []
      try Self.entries(sink, ledger, after: 0) { entry, _ in
        guard let event = entry.event else { return }
        if choice.means(event), !progress.isWaiting(entry.position, in: entry.lane) {
          found.append((entry.position, entry.lane.user))
        }
        if found.count > RelayActs.replayLimit { throw RelayActs.tooMany }
      }
      return found
    }
  }

  /// Returns the position of the last line that changed a user's state; nil if the sink does not receive the user's states, or the
  /// ledger does not know the user.
  func state(of user: String, _ sink: Configuration.Sink) async throws -> EventPosition? {
    guard sink.terms.events.wantsAccount(of: user),
      let ledger = try await LedgerReading.openIfThere(configuration.directory)
    else { return nil }
    return try await BlockingThread(named: "rewards.relay-report").run {
      try Self.events(of: sink, in: ledger).lastState(of: user)
    }
  }

  private static func events(
    of sink: Configuration.Sink, in ledger: LedgerReader
  ) -> EventReader {
    EventReader(
      { ledger }, mapping: EventMapping(ledger: ledger.ledger), filter: sink.terms.events,
      isOneLane: false)
  }

  private static func entries(
    _ sink: Configuration.Sink, _ ledger: LedgerReader?, after seq: UInt64,
    _ body: (_ entry: LaneEntry, _ recordedAt: Instant) throws -> Void
  ) throws {
    guard let ledger else { return }
    try events(of: sink, in: ledger).entries(after: seq, body)
  }
}

extension RelayActs.Choice {
  fileprivate func means(_ event: CloudEvent) -> Bool {
    switch self {
    case .event(let id): event.id == id
    case .made(let from, let to): from <= event.time && event.time < to
    case .dead, .state: false
    }
  }
}
