public import CivilTime
import Configuration
public import Failures
import LedgerStore
import NotificationRelay
import Scheduling
import StrictJSON
import Threading

/// What an operator does to sinks: by the pumps of the service that runs at this runtime, or in their logs where none does.
public struct RelayActs: Sendable {
  /// Events that can be asked for at once.
  public static let replayLimit = 1_000_000
  private static let positionsPerRecord = 500

  /// What is to be sent again.
  public enum Choice: Sendable {
    /// The event with this id; of a grant it is the key.
    case event(String)
    /// Events of records that were made at or after the first instant and before the second.
    case made(from: Instant, to: Instant)
    /// What was given up.
    case dead
  }

  private let runtime: Runtime

  /// Acts at an opened data folder.
  public init(_ runtime: Runtime) { self.runtime = runtime }

  /// Stops deliveries to a sink until ``resume(_:)``.
  public func pause(_ sink: String, reason: String, actor: String) async throws {
    try check(sink)
    if let pump = runtime.relay[sink] {
      try await pump.pause(reason: reason, actor: actor)
    } else {
      try await write([.paused(reason: reason, actor: actor)], to: sink)
    }
  }

  /// Lets deliveries go on.
  public func resume(_ sink: String) async throws {
    try check(sink)
    let actor = runtime.environment.actor
    if let pump = runtime.relay[sink] {
      try await pump.resume(actor: actor)
    } else {
      try await write([.resumed(actor: actor)], to: sink)
    }
  }

  /// Has events sent again, with the same ids; how many, by sink. What waits to be sent anyway is left out.
  public func replay(_ choice: Choice, sink: String?) async throws -> [(sink: String, count: Int)] {
    if let sink { try check(sink) }
    let sinks = runtime.configuration.relay.filter { sink == nil || $0.name == sink }
    var counts: [(sink: String, count: Int)] = []
    for sink in sinks {
      let dead = try await RelayReport(runtime.configuration).dead(sink.name)
      let chosen = try await positions(choice, sink, dead)
      let count = chosen.values.reduce(0) { $0 + $1.count }
      if count > Self.replayLimit { throw Self.tooMany }
      try await send(chosen, again: sink.name, dead: Set(dead.map(\.position)))
      counts.append((sink.name, count))
    }
    return counts
  }

  /// More events than can be asked for at once.
  static let tooMany = Failure(
    .badData, "more than \(replayLimit) events cannot be asked for at once",
    remedy: "Divide the time; nothing was asked for.")

  private func check(_ sink: String) throws(Failure) {
    let names = runtime.configuration.relay.map(\.name)
    if !names.contains(sink) { throw .noSink(sink, names) }
  }

  /// Those among `dead` were given up, and are so no more.
  private func send(
    _ chosen: [String: [EventPosition]], again sink: String, dead: Set<EventPosition>
  ) async throws {
    let actor = runtime.environment.actor
    for (user, positions) in chosen.sorted(by: { $0.key < $1.key }) {
      var rest = positions[...]
      while let first = rest.first {
        let wereDead = dead.contains(first)
        let part = Array(
          rest.prefix(Self.positionsPerRecord).prefix { dead.contains($0) == wereDead })
        rest = rest.dropFirst(part.count)
        if let pump = runtime.relay[sink] {
          try await pump.replay(part, of: user, wereDead: wereDead, actor: actor)
        } else {
          let record = RelayRecord.replay(
            user: user, positions: part, wereDead: wereDead, actor: actor)
          try await write([record], to: sink)
        }
      }
    }
  }

  /// The events that `choice` means, by user; `dead` are those that the sink has given up.
  private func positions(
    _ choice: Choice, _ sink: Configuration.Sink, _ dead: [RelayReport.DeadLetter]
  ) async throws -> [String: [EventPosition]] {
    if case .dead = choice {
      return Dictionary(grouping: dead) { $0.user }.mapValues { $0.map(\.position) }
    }
    var chosen: [String: [EventPosition]] = [:]
    let report = RelayReport(runtime.configuration)
    for (position, event) in try await report.delivered(sink, choice) {
      chosen[event, default: []].append(position)
    }
    return chosen
  }

  private func write(_ records: [RelayRecord], to sink: String) async throws {
    guard let store = runtime.store,
      let sink = runtime.configuration.relay.first(where: { $0.name == sink })
    else { return }
    let (directory, clock) = (runtime.directory, runtime.clock)
    let terms = RelayLog.Terms(sink, ledger: store.report.ledger)
    try await BlockingThread(named: "rewards.relay-act").run {
      let now = clock.now()
      let log = try RelayLog.open(
        sink.name, in: directory, terms, now: now, isDoubtful: clock.isInDoubt)
      try log.commit(records, at: now)
      try log.close()
    }
  }
}

extension Failure {
  /// A sink that is not configured; `names` are those that are.
  public static func noSink(_ name: String, _ names: [String]) -> Failure {
    Failure(
      .badData, "no such sink is configured\(NearestName.hint(for: name, among: names))",
      place: "sink \"\(name)\"", remedy: "See rewards relay status.")
  }
}
