import CheerAPI
import CivilTime
import Evidence
import Foundations
import HTTPClient
import Ledger
import LedgerStore
import Operations
import RewardRules
import Sandbox
import Scheduling

/// Our side of the polling benchmark: polls every user once, with the same parts as `serve`.
///
/// Each run begins with an empty state, so that every activity is new: evidence is recorded, days are judged, grants
/// are written. No sweep can be more work; later ones skip missions that are met.
struct Sweep {
  static let connections = 64

  let world: PollingWorld
  private let api: CheerAPI
  private let client: HTTPClient

  init(_ world: PollingWorld, baseURL: String) throws {
    self.world = world
    client = HTTPClient(concurrentTransfers: Self.connections)
    let settings = CheerAPI.Settings(
      baseURL: try BaseURL(baseURL),
      naiveZone: try SystemZones(directory: nil).zone(named: "Asia/Tokyo"),
      requestsPerSecond: 1e9, concurrency: Self.connections)
    api = CheerAPI(
      settings, credentials: .serviceToken(Secret(SimulatedAPIOptions().token)), http: client,
      clock: ShiftedClock(at: PollingWorld.moment), seed: 1)
  }

  /// The result of one run.
  struct Outcome {
    let elapsed: Elapsed
    let looks: Int
    let grants: Int
    var perSecond: Double { Double(looks) / elapsed.wall }
  }

  /// Runs one sweep over all users. With `onDisk`, the ledger is a real one that syncs; the polls always go to a file.
  func run(onDisk: Bool) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let clock = ShiftedClock(at: PollingWorld.moment)
    let directory = DataDirectory(folder.path)
    try directory.create()
    let store = try onDisk ? BenchmarkLedger.open(directory, clock: { clock.now() }) : nil
    defer { store?.close() }
    let writer = try await BenchmarkWriter.make(
      ledger: store ?? InMemoryLedger(keepsRecords: false, now: { clock.now() }), clock: clock)
    let looks = LookJournal(directory)
    let roster = RosterFile(Array(world.roster.utf8))
    let receipt = try await RosterImport(writer).run(roster, defaultZone: "UTC", by: "benchmark")
    let poller = Poller(
      api: api, writer: writer, intake: LookIntake(writer, keeping: looks, past: NoPast()),
      clock: clock)

    let watch = Stopwatch()
    let round = try await poller.poll(0..<receipt.added, width: Self.connections)
    let elapsed = watch.elapsed
    guard round.failures.isEmpty, round.problems.isEmpty else {
      throw PeerFailure(what: "a sweep failed: \(round.failures) \(round.problems.prefix(3))")
    }
    let grants = round.counts.grants
    return Outcome(elapsed: elapsed, looks: round.looks, grants: grants)
  }

  func close() { client.close() }
}

/// The machine's clock, shifted to show `start` at its creation: real passing time, and the same world in every run.
struct ShiftedClock: ServiceClock {
  private let machine = SystemClock()
  private let shift: Int64

  init(at start: Instant) { shift = start.seconds - machine.now().seconds }

  func now() -> Instant { machine.now().adding(seconds: shift) }
  func sleep(until instant: Instant) async throws {
    try await machine.sleep(until: instant.adding(seconds: -shift))
  }
  func sleep(seconds: Double) async throws { try await machine.sleep(seconds: seconds) }
  func beginWork() {}
  func endWork() {}
}
