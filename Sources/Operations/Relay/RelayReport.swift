public import CivilTime
public import Configuration
import Ledger
import LedgerStore
public import NotificationRelay
import Threading

/// What stands about deliveries on the disk. Changes nothing; may be read beside a service.
public struct RelayReport: Sendable {
  /// How a sink is.
  public struct Status: Sendable {
    /// The sink's name.
    public let sink: String
    /// `file`, `webhook` or `fcm`.
    public let kind: String
    /// Where it stands.
    public let progress: RelayProgress
    /// Events that it is to be sent and has not got.
    public var waiting = 0
    /// When the first of them was recorded.
    public var oldest: Instant?
  }

  /// An event that was given up.
  public struct DeadLetter: Sendable {
    /// The event's id.
    public let event: String
    /// Its place in the ledger.
    public let position: EventPosition
    /// The user; empty for events of no user.
    public let user: String
    /// When it was given up.
    public let at: Instant
    /// After how many attempts.
    public let attempts: Int
    /// Why the last one failed.
    public let reason: String
  }

  private let configuration: Configuration

  /// A report on the data folder of this configuration.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Every sink, in the order of the configuration.
  public func status() async throws -> [Status] {
    let configuration = configuration
    return try await BlockingThread(named: "rewards.relay-report").run {
      let directory = configuration.directory
      return try configuration.relay.map { sink in
        var status = Status(
          sink: sink.name, kind: sink.kind.name,
          progress: try SinkFolder(sink.name, in: directory).progress())
        try Self.events(sink, directory, after: status.progress.firstUnsettled) { position, event in
          guard status.progress.isWaiting(position, of: event.subject ?? "") else { return }
          status.waiting += 1
          status.oldest = status.oldest ?? event.time
        }
        return status
      }
    }
  }

  /// What was given up at a sink and not asked for again, in the order in which it was.
  public func dead(_ sink: String) async throws -> [DeadLetter] {
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

  /// The places and users of events that a sink has got and that `choice` means.
  func delivered(
    _ sink: Configuration.Sink, _ choice: RelayActs.Choice
  ) async throws -> [(EventPosition, String)] {
    let directory = configuration.directory
    return try await BlockingThread(named: "rewards.relay-report").run {
      let progress = try SinkFolder(sink.name, in: directory).progress()
      var found: [(EventPosition, String)] = []
      try Self.events(sink, directory, after: 0) { position, event in
        let user = event.subject ?? ""
        if choice.means(event), !progress.isWaiting(position, of: user) {
          found.append((position, user))
        }
        if found.count > RelayActs.replayLimit { throw RelayActs.tooMany }
      }
      return found
    }
  }

  private static func events(
    _ sink: Configuration.Sink, _ directory: DataDirectory, after seq: UInt64,
    _ body: (EventPosition, CloudEvent) throws -> Void
  ) throws {
    let reader: LedgerReader
    do throws(LedgerError) {
      reader = try LedgerReader.open(directory)
    } catch {
      if error.kind == .missing { return }
      throw error
    }
    try EventReader(
      { reader }, mapping: EventMapping(ledger: reader.ledger), filter: sink.terms.events,
      isOneLane: false
    ).events(after: seq, body)
  }
}

extension RelayActs.Choice {
  fileprivate func means(_ event: CloudEvent) -> Bool {
    switch self {
    case .event(let id): event.id == id
    case .made(let from, let to): from <= event.time && event.time < to
    case .dead: false
    }
  }
}

extension Configuration.Sink.Kind {
  /// The word for it in the configuration.
  var name: String {
    switch self {
    case .webhook: "webhook"
    case .fcm: "fcm"
    case .file: "file"
    }
  }
}
