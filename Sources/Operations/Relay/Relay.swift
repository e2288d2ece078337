import CivilTime
import Configuration
import Foundations
import LedgerStore
import NotificationRelay
import Scheduling

/// All sinks of a service, each with its own pump, so that a slow or failed sink delays no other.
final class Relay: Sendable {
  /// How long a stop waits for pending and running deliveries, in seconds.
  private static let finishSeconds = 15.0

  /// The pumps in the order of the configuration, which is also the order of messages to all of them.
  private let pumps: [(name: String, pump: RelayPump)]
  private let troubles: Troubles
  private let users: [RelayUsers]
  private let running = Lock<[Task<Void, Never>]>([])

  /// Opens the folder of every configured sink; throws when one cannot be used. A runtime that writes nothing delivers nothing.
  init(_ runtime: Runtime, _ troubles: Troubles) async throws {
    self.troubles = troubles
    guard let store = runtime.store else {
      pumps = []
      users = []
      return
    }
    var pumps: [(name: String, pump: RelayPump)] = []
    var users: [RelayUsers] = []
    for sink in runtime.configuration.relay {
      let parts = try await Self.parts(of: sink, at: runtime, store, troubles) {
        users.append($0)
      }
      pumps.append((sink.name, RelayPump(parts)))
    }
    self.pumps = pumps
    self.users = users
  }

  /// Starts delivering in the background.
  func start() {
    running.withLock { running in
      running += pumps.map { entry in Task { await entry.pump.run() } }
    }
    troubles.subscribe { [pumps] notice in
      for entry in pumps { entry.pump.enqueue(notice) }
    }
  }

  /// Notifies the pumps that the head has advanced; returns at once.
  func noteCommit() { for entry in pumps { entry.pump.noteCommit() } }

  /// Notifies the pumps that the clock was set back.
  func noteClockSetBack() async { for entry in pumps { await entry.pump.noteClockSetBack() } }

  /// Finishes pending and running deliveries, within a time limit, and ends.
  func finish() async {
    for entry in pumps { await entry.pump.finish(withinSeconds: Self.finishSeconds) }
    for task in running.withLock({ $0 }) { await task.value }
  }

  /// Returns the pump of the sink with this name.
  subscript(_ name: String) -> RelayPump? { pumps.first { $0.name == name }?.pump }

  /// Reads again what the roster says of users' devices and accounts.
  func reloadUsers() async { for users in users { await users.reload() } }

  /// What the sink with this name knows of users; nil if it needs nothing.
  func users(of sink: String) -> RelayUsers? { users.first { $0.sink == sink } }

  /// The figures of each sink, by name.
  var figures: [(name: String, figures: SinkFigures)] {
    get async {
      var figures: [(name: String, figures: SinkFigures)] = []
      for (name, pump) in pumps.sorted(by: { $0.name < $1.name }) {
        figures.append((name, await pump.figures))
      }
      return figures
    }
  }

  private static func parts(
    of sink: Configuration.Sink, at runtime: Runtime, _ store: LedgerStore, _ troubles: Troubles,
    keep: (RelayUsers) -> Void
  ) async throws -> PumpParts {
    let environment = runtime.environment
    let users = RelayUsers(
      roster: runtime.configuration.users, sink: sink.name, in: runtime.directory,
      writer: runtime.writer, zones: environment.zones, log: environment.log)
    let receiver = try Receivers.make(
      sink, at: runtime.directory, environment, users: users)
    let (directory, ledger) = (runtime.directory, store.report.ledger)
    let writer = try await BlockingThread(named: "rewards.sinks").run {
      try SinkWriter(
        sink.name, in: directory, SinkWriter.Terms(sink, ledger: ledger), mayBeginAnew: true)
    }
    if let doubt = writer.doubt {
      environment.log.warning(
        "a sink's progress could not be read; every event is sent again, with the same ids",
        ["sink": .text(sink.name), "cause": .text("\(doubt)")])
    }
    if writer.lostLetters > 0 {
      environment.log.warning(
        "dead letters of a sink are missing; rewards relay replay --from --to sends them again",
        ["sink": .text(sink.name), "count": .number(writer.lostLetters)])
    }
    var parts = PumpParts(
      sink: receiver, writer: writer,
      reader: EventReader(
        { store.reader }, mapping: EventMapping(ledger: ledger),
        filter: sink.terms.events, isOneLane: receiver.options.isOneLane),
      clock: runtime.clock,
      random: SplitMix64(seed: environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }))
    var accounts = AccountEvents(writer: runtime.writer)
    if case .firestore = sink.kind { accounts.isBrief = true }
    parts.accounts = accounts
    parts.isForgotten = { [forgotten = runtime.forgotten] user in
      forgotten.withLock { $0.contains(user) }
    }
    parts.limits.accountEverySeconds = Int64(sink.terms.accountEverySeconds)
    let diary = environment.log
    parts.onTrouble = { trouble in
      if let trouble {
        diary.warning(
          "events could not be delivered; they will be sent again",
          ["sink": .text(sink.name), "cause": .text(trouble)])
      } else {
        diary.info("events are delivered again", ["sink": .text(sink.name)])
      }
    }
    parts.onPause = { reason in
      if let reason {
        diary.warning(
          "a sink is paused; rewards relay resume continues it",
          ["sink": .text(sink.name), "cause": .text(reason)])
        troubles.begin(.sink, of: sink.name, reason: reason)
      } else {
        troubles.end(.sink, of: sink.name)
      }
    }
    switch sink.kind {
    case .fcm, .firestore:
      await users.reload()
      keep(users)
    case .file, .webhook: break
    }
    return parts
  }
}

extension SinkWriter.Terms {
  /// Creates the terms for storing a sink's folder.
  init(_ sink: Configuration.Sink, ledger: String) {
    self.init(ledger: ledger)
    keepDays = sink.terms.keepDays
  }
}

/// The relay of the service at this runtime, while one is running.
final class RunningRelay: Sendable {
  private let relay = Lock<Relay?>(nil)

  func set(_ relay: Relay?) { self.relay.withLock { $0 = relay } }

  /// Returns the pump of the sink with this name; nil when no service delivers.
  subscript(_ sink: String) -> RelayPump? { relay.withLock { $0 }?[sink] }

  /// Returns what the sink with this name knows of users; nil when no service delivers, or the sink needs nothing.
  func users(of sink: String) -> RelayUsers? { relay.withLock { $0 }?.users(of: sink) }
}
