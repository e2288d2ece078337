package import CivilTime
import Configuration
package import Failures
import Foundations
import LedgerStore
package import NotificationRelay
import Scheduling
import StrictJSON

/// An operator's acts on sinks, carried out by the pumps of a running service, or in the sinks' folders without one.
package struct RelayActs: Sendable {
  /// The maximum number of events per replay.
  package static let replayLimit = 1_000_000

  /// The events to send again.
  package enum Choice: Sendable {
    /// The event with this id, which for a grant is the key.
    case event(String)
    /// Events of records made at or after the first instant and before the second.
    case made(from: Instant, to: Instant)
    /// All dead letters.
    case dead
    /// A user's state, for sinks that receive states; with what the operator says of a document whose record is gone.
    case state(of: String, StoreMemory.Verdict?)
  }

  private let runtime: Runtime

  /// Creates acts on an opened data folder.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Stops deliveries to a sink until ``resume(_:)``.
  package func pause(_ sink: String, reason: String, actor: String) async throws {
    try check(sink)
    if let pump = runtime.relay[sink] {
      try await pump.pause(reason: reason, actor: actor)
    } else {
      try await write([.paused(reason: reason, actor: actor)], to: sink)
    }
  }

  /// Resumes deliveries to a sink.
  package func resume(_ sink: String) async throws {
    try check(sink)
    let actor = runtime.environment.actor
    if let pump = runtime.relay[sink] {
      try await pump.resume(actor: actor)
    } else {
      try await write([.resumed(actor: actor)], to: sink)
    }
  }

  /// Queues events to be sent again with the same ids; returns how many, by sink. Leaves out events that are still to be sent
  /// anyway.
  package func replay(_ choice: Choice, sink: String?) async throws -> [(sink: String, count: Int)]
  {
    if let sink { try check(sink) }
    let sinks = runtime.configuration.relay.filter { sink == nil || $0.name == sink }
    var counts: [(sink: String, count: Int)] = []
    for sink in sinks {
      if case .state(let user, let verdict?) = choice { try await record(verdict, user, sink) }
      let chosen = try await positions(choice, sink)
      let count = chosen.values.reduce(0) { $0 + $1.count }
      if count > Self.replayLimit { throw Self.tooMany }
      if count > 0 { try await send(chosen, again: sink.name) }
      counts.append((sink.name, count))
    }
    return counts
  }

  /// The failure for more events than one replay may include.
  static let tooMany = Failure(
    .badData, "one replay can send at most \(replayLimit) events",
    remedy: "Divide the time span; nothing was requested.")

  private func check(_ sink: String) throws(Failure) {
    let names = runtime.configuration.relay.map(\.name)
    if !names.contains(sink) { throw .noSink(sink, names) }
  }

  /// Records what an operator says of a user's document.
  private func record(
    _ verdict: StoreMemory.Verdict, _ user: String, _ sink: Configuration.Sink
  ) async throws {
    guard case .firestore = sink.kind else { return }
    let memory = StoreMemory(of: sink.name, in: runtime.directory, isWriter: false)
    let (now, actor) = (runtime.clock.now(), runtime.environment.actor)
    try await BlockingThread(named: "rewards.relay-act").run {
      try memory.record(verdict, on: user, at: now, actor: actor)
    }
  }

  private func send(_ chosen: [String: [EventPosition]], again sink: String) async throws {
    let actor = runtime.environment.actor
    if let pump = runtime.relay[sink] {
      try await pump.replay(chosen, actor: actor)
    } else {
      try await write(
        chosen.sorted { $0.key < $1.key }.map {
          .replay(user: $0.key, positions: $0.value, actor: actor)
        }, to: sink)
    }
  }

  /// Returns the events of `choice`, by user.
  private func positions(
    _ choice: Choice, _ sink: Configuration.Sink
  ) async throws -> [String: [EventPosition]] {
    let report = RelayReport(runtime.configuration)
    if case .dead = choice {
      return Dictionary(grouping: try await report.dead(sink.name)) { $0.user }
        .mapValues { $0.map(\.position) }
    }
    if case .state(let user, _) = choice {
      return try await report.state(of: user, sink).map { [user: [$0]] } ?? [:]
    }
    var chosen: [String: [EventPosition]] = [:]
    for (position, user) in try await report.delivered(sink, choice) {
      chosen[user, default: []].append(position)
    }
    return chosen
  }

  private func write(_ changes: [RelayChange], to sink: String) async throws {
    guard let store = runtime.store,
      let sink = runtime.configuration.relay.first(where: { $0.name == sink })
    else { return }
    let (directory, clock) = (runtime.directory, runtime.clock)
    let terms = SinkWriter.Terms(sink, ledger: store.report.ledger)
    try await BlockingThread(named: "rewards.relay-act").run {
      let writer = try SinkWriter(sink.name, in: directory, terms)
      writer.apply(changes, at: clock.now())
      try writer.write(at: clock.now(), mayForget: !clock.isInDoubt)
    }
  }
}

extension Failure {
  /// Returns the failure for a sink that is not configured; `names` are those that are.
  package static func noSink(_ name: String, _ names: [String]) -> Failure {
    Failure(
      .badData, "no such sink is configured\(NearestName.hint(for: name, among: names))",
      place: "sink \"\(name)\"", remedy: "See rewards relay status.")
  }
}
