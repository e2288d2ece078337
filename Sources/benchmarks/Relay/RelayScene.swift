import CivilTime
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Scheduling

/// Sinks of a ledger on this machine's disk.
struct RelayScene {
  static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private let store: LedgerStore
  private let directory: DataDirectory
  private let clock: any ServiceClock

  init(_ store: LedgerStore, _ directory: DataDirectory, clock: any ServiceClock) {
    self.store = store
    self.directory = directory
    self.clock = clock
  }

  /// Creates a webhook with the usual settings.
  static func webhook(_ url: String, clock: any ServiceClock) throws -> WebhookSink {
    WebhookSink(
      WebhookSink.Settings(
        address: try WebhookAddress.parse(url, allowsPrivate: false).get(),
        secrets: [try WebhookSecret.parse(secret).get()]),
      clock: clock)
  }

  /// Creates a pump to a sink called `name`.
  func pump(to sink: any Sink, _ name: String = "hook") async throws -> RelayPump {
    let (store, directory) = (store, directory)
    let writer = try await BlockingThread(named: "benchmarks.sink").run {
      try SinkWriter(name, in: directory, SinkWriter.Terms(ledger: store.report.ledger))
    }
    return RelayPump(
      PumpParts(
        sink: sink, writer: writer,
        reader: EventReader(
          { store.reader }, mapping: EventMapping(ledger: store.report.ledger), isOneLane: false),
        clock: clock, random: SplitMix64(seed: 1)))
  }

  /// Commits `count` events of `users` in batches of `group`.
  func commit(_ count: Int, users: Int, group: Int = 1_000) async throws {
    let store = store
    try await BlockingThread(named: "benchmarks.commit").run {
      for start in stride(from: 0, to: count, by: group) {
        _ = try store.append(
          (start..<min(count, start + group)).map { number in
            .level(
              LevelRecord(user: "u\(number % users)", level: 2, effective: Instant(seconds: 0)))
          })
      }
    }
  }
}
