import CivilTime
import Foundation
import Foundations
import Ledger
import LedgerStore
import Sandbox
import Scheduling
import StrictJSON
import TestSupport

@testable import NotificationRelay

/// A ledger on disk with sinks beside it, gone with the value.
final class RelayPlace: Sendable {
  let folder: TemporaryFolder
  let store: LedgerStore
  // Stands still until a test lets time pass.
  let clock = VirtualClock(
    at: Instant(seconds: 1_795_176_000), until: Instant(seconds: 1_795_176_000))
  let directory: DataDirectory

  init() async throws {
    let folder = try TemporaryFolder()
    let directory = DataDirectory("\(folder.path)/data")
    store = try await BlockingThread(named: "test").run {
      try LedgerStore.open(
        LedgerConfiguration(directory: directory, program: "rewards test", command: "test"),
        LedgerStore.Dependencies(
          clock: { Instant(seconds: 1_795_176_000) },
          randomBytes: { (0..<$0).map { _ in UInt8.random(in: 0...255) } }))
    }
    self.folder = folder
    self.directory = directory
  }

  var terms: SinkWriter.Terms { SinkWriter.Terms(ledger: store.report.ledger) }

  /// Opens the folder of a sink, as a service does.
  func writer(_ name: String = "journal") throws -> SinkWriter {
    try SinkWriter(name, in: directory, terms, mayBeginAnew: true)
  }

  /// The folder of a sink, as anybody may read it.
  func sink(_ name: String = "journal") -> SinkFolder { SinkFolder(name, in: directory) }

  /// Where a sink stands by its folder.
  func progress(of name: String = "journal") throws -> RelayProgress { try sink(name).progress() }

  /// The attempts that are kept of a sink.
  func attempts(of name: String = "journal") throws -> [DeliveryAttempt] {
    var attempts: [DeliveryAttempt] = []
    try sink(name).eachAttempt { attempts.append($0.attempt) }
    return attempts
  }

  func pump(_ sink: any Sink, _ name: String = "journal") throws -> RelayPump {
    RelayPump(try parts(sink, name))
  }

  func parts(_ sink: any Sink, _ name: String = "journal") throws -> PumpParts {
    let store = store
    return PumpParts(
      sink: sink, writer: try writer(name),
      reader: EventReader(
        { store.reader }, mapping: EventMapping(ledger: store.report.ledger),
        isOneLane: sink.options.isOneLane),
      clock: clock, random: SplitMix64(seed: 1))
  }

  /// Runs a pump until all that can be delivered is, and it has ended.
  func deliver(to sink: any Sink, _ name: String = "journal") async throws {
    let pump = try pump(sink, name)
    await pump.finish(withinSeconds: 600)
    await pump.run()
  }

  /// The file sink of the tests.
  var file: FileSink {
    FileSink(path: "\(folder.path)/events.jsonl", fileSystem: PosixFileSystem())
  }

  /// Commits one batch with a level for each user.
  func commit(_ users: String...) throws { try commit(users) }

  func commit(_ users: [String]) throws {
    _ = try store.append(
      users.map { .level(LevelRecord(user: $0, level: 2, effective: Instant(seconds: 0))) })
  }

  func read(_ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A member of the events in the file, in order; nil for a line that is no event.
  func delivered(_ member: String = "subject") -> [String?] {
    read("events.jsonl").split(separator: "\n").map { line in
      (try? JSONNode.parse(Array(line.utf8)))?[member]?.string
    }
  }
}

/// A sink in memory that does what it is told.
final class ObedientSink: Sink {
  private struct State {
    var events: [CloudEvent] = []
    var outcomes: [DeliveryOutcome] = []
    var underWay = 0
    var mostUnderWay = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Whom deliveries that hang lend their unit of work to; nil where none hangs.
    var holder: VirtualClock?
  }

  private let state = Lock(State())
  let options: SinkOptions

  init(shipmentsAtOnce: Int = 8) {
    var options = SinkOptions()
    options.shipmentsAtOnce = shipmentsAtOnce
    self.options = options
  }

  /// What was delivered, in order.
  var events: [CloudEvent] { state.withLock { $0.events } }
  var underWay: Int { state.withLock { $0.underWay } }
  var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

  /// Answers the next deliveries with these outcomes, all others with success.
  func answer(_ outcomes: DeliveryOutcome...) { state.withLock { $0.outcomes += outcomes } }

  /// Lets deliveries hang until ``letGo()``; time on `clock` does not wait for them.
  func hold(on clock: VirtualClock) { state.withLock { $0.holder = clock } }

  func letGo() {
    let (waiters, clock) = state.withLock { state in
      defer { (state.waiters, state.holder) = ([], nil) }
      return (state.waiters, state.holder)
    }
    for waiter in waiters {
      clock?.beginWork()
      waiter.resume()
    }
  }

  func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    state.withLock { state in
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let clock = state.withLock { state -> VirtualClock? in
          guard let clock = state.holder, !Task.isCancelled else { return nil }
          state.waiters.append(waiter)
          return clock
        }
        if let clock { clock.endWork() } else { waiter.resume() }
      }
    } onCancel: {
      letGo()
    }
    return state.withLock { state in
      state.underWay -= 1
      return events.map { event in
        let outcome =
          state.outcomes.isEmpty ? .delivered(status: 200) : state.outcomes.removeFirst()
        if case .delivered = outcome { state.events.append(event) }
        return outcome
      }
    }
  }
}
