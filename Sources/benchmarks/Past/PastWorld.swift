import CivilTime
import Configuration
import Evidence
import Foundation
import Foundations
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling

/// A data folder whose users have lived through some nights, judged and closed as by a service.
struct PastWorld {
  static let firstDay = Day(number: Int32(NightWorld.firstDay))

  let configuration: Configuration
  let environment: RuntimeEnvironment
  /// The number of records in the ledger.
  let records: Int
  /// The last closed day.
  let lastDay: Day

  /// Creates the world in `folder`.
  init(users: Int, nights: Int, in folder: String) async throws {
    guard
      FileManager.default.createFile(
        atPath: "\(folder)/draw-secret", contents: Data("\(BenchmarkWriter.drawText)\n".utf8),
        attributes: [.posixPermissions: 0o600])
    else { throw PeerFailure(what: "the benchmark's secret cannot be written") }
    try PosixFileSystem().replace(
      "\(folder)/rewards.json",
      with: [
        Array(
          """
          {"data": "./data", "jobs": "./jobs", "drawSecret": {"file": "./draw-secret"}, "relay": {},
           "api": {"token": {"file": "./draw-secret"}}}
          """.utf8)
      ])
    let zones = SystemZones(directory: nil)
    configuration = try ConfigurationLoader(environment: [:], zones: zones).load(
      file: "\(folder)/rewards.json")
    let clock = NightWorld.makeClock()
    let directory = configuration.directory
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    let world = try await NightWorld(users: users, store: store, directory: directory, clock: clock)
    for _ in 0..<nights {
      try await world.evening(count: users)
      _ = try await world.night()
    }
    // As a service leaves them.
    await world.looks.flush()
    if world.looks.isWorthRewriting(entries: users * Source.polled.count) {
      await LookMemory(world.writer).rewrite(in: world.looks)
      await world.looks.flush()
    }
    records = Int(store.head.seq)
    lastDay = Self.firstDay.adding(days: Int32(nights - 1))
    store.close()
    environment = RuntimeEnvironment(
      clock: SetClock(at: clock.now().adding(seconds: 3_600)), zones: zones, variables: [:],
      log: Log(level: .error, layout: .logfmt, clock: SystemClock()) { _ in },
      randomBytes: { [UInt8](repeating: 7, count: $0) }, command: "benchmarks", actor: "benchmarks")
  }

  /// Writes the snapshot that a service would have written at the beginning of `day` in UTC.
  func writeSnapshot(before day: Day) throws {
    let directory = configuration.directory
    let midnight = Instant(seconds: Int64(day.number) * 86_400)
    let reader = try LedgerReader.open(directory)
    var (state, sealed) = (LedgerState(), UInt64(0))
    try reader.scanUntilStopped { record in
      if record.at >= midnight { return .stop }
      state.apply(record)
      if record.body.type == .seal { sealed = record.seq }
      return .next
    }
    guard state.seq == sealed, let head = try reader.seals(of: [sealed]).first else {
      throw PeerFailure(what: "a batch stands on both sides of \(midnight)")
    }
    let store = try BenchmarkLedger.open(directory, clock: { midnight })
    defer { store.close() }
    try store.writeSnapshot(
      payload: StateSnapshot.write(state), at: head, recordedAt: state.at)
  }

  /// Hands in a comment for each user on the first day, which was closed long ago.
  func handInLateComments(users: Int) async throws {
    let runtime = try await Runtime.open(configuration, environment)
    try await runtime.recordRules()
    let at = Instant(seconds: NightWorld.firstDay * 86_400 + 3 * 3_600)
    let lines = (0..<users).map {
      InboxLine(
        number: $0 + 1,
        entry: .activity(user: "n\(1_000_000 + $0)", kind: .comment, at: at))
    }
    _ = try await runtime.inboxIntake.add(lines, readAt: environment.clock.now())
    await runtime.close()
  }
}
