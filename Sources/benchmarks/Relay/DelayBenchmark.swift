import CheerAPI
import CivilTime
import Digests
import Foundations
import HTTPClient
import Ledger
import LedgerStore
import NotificationRelay
import RewardRules
import Sandbox
import Scheduling

/// Measures the time from a grant's commit to its webhook, while users are polled.
struct DelayBenchmark: Benchmark {
  let name = "relay-delay"
  let summary = "from the commit of a grant to the arrival of its webhook, while polling runs"

  private static let looksPerSecond = 1_500.0

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let users = effort.pick(quick: 2_000, full: 10_000)
    let server = try PeerProcess.itself([HelperProcess.serveAPI, "\(users)"])
    defer { server.wait() }
    let baseURL = try server.readLine()
    let delays = try await poll(PollingWorld(users: users), baseURL).sorted()
    let (median, late) = (delays.median, delays[delays.count * 99 / 100])
    note("\(delays.count) grants: median \(Figure.time(median)), p99 \(Figure.time(late))")
    return [
      ResultRow(
        work:
          "from the commit of a grant to its webhook, while \(Figure.count(Self.looksPerSecond)) looks/s are made and judged",
        measured:
          "median \(Figure.time(median)), p99 \(Figure.time(late)), of \(Figure.count(Double(delays.count)))",
        asked: "–", isReached: nil)
    ]
  }

  /// Polls every user once, at a steady rate; returns the seconds from each commit to the webhook's arrival.
  private func poll(_ world: PollingWorld, _ baseURL: String) async throws -> [Double] {
    let folder = try TemporaryFolder()
    let clock = ShiftedClock(at: PollingWorld.moment)
    let directory = DataDirectory("\(folder.path)/data")
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let receiver = try PeerProcess.itself([HelperProcess.time, "-"])
    defer { receiver.wait() }
    let url = try receiver.readLine()
    let pump = try await RelayScene(store, directory, clock: clock)
      .pump(to: RelayScene.webhook(url, clock: clock))
    let ledger = TimedLedger(store) { pump.noteCommit() }
    let writer = try await BenchmarkWriter.make(ledger: ledger, clock: clock)
    let receipt = try await RosterImport(writer).run(
      RosterFile(Array(world.roster.utf8)), defaultZone: "UTC", by: "benchmark")
    let client = HTTPClient(concurrentTransfers: Sweep.connections)
    defer { client.close() }
    let api = CheerAPI(
      CheerAPI.Settings(
        baseURL: try BaseURL(baseURL),
        naiveZone: try SystemZones(directory: nil).zone(named: "Asia/Tokyo"),
        requestsPerSecond: Self.looksPerSecond, concurrency: Sweep.connections),
      credentials: .serviceToken(Secret(SimulatedAPIOptions().token)), http: client, clock: clock,
      seed: 1)
    let poller = Poller(
      api: api, writer: writer,
      intake: LookIntake(writer, keeping: LookJournal(directory), past: NoPast()), clock: clock)
    let running = Task { await pump.run() }
    let round = try await poller.poll(0..<receipt.added, width: Sweep.connections)
    await pump.finish(withinSeconds: 30)
    await running.value
    guard round.failures.isEmpty, round.problems.isEmpty else {
      throw PeerFailure(what: "polling failed: \(round.failures) \(round.problems.prefix(3))")
    }
    return try ledger.delays(until: try receiver.ask("report"))
  }
}

/// A ledger that records when each grant was committed.
private final class TimedLedger: LedgerAppending, Sendable {
  private let store: LedgerStore
  private let onCommit: @Sendable () -> Void
  private let commits = Lock<[String: Int64]>([:])

  init(_ store: LedgerStore, onCommit: @escaping @Sendable () -> Void) {
    self.store = store
    self.onCommit = onCommit
  }

  var head: LedgerHead { store.head }
  var isReady: Bool { store.isReady }

  func append(_ bodies: [RecordBody]) throws -> [Record] {
    let records = try store.append(bodies)
    let now = ReceiverHelper.nanoseconds()
    commits.withLock { commits in
      for case .grant(let grant) in records.map(\.body) { commits[grant.key] = now }
    }
    onCommit()
    return records
  }

  /// Returns the seconds from each commit to its arrival, according to the receiver's report; throws if one has not arrived.
  func delays(until report: String) throws -> [Double] {
    var arrivals: [Substring: Int64] = [:]
    for line in report.split(separator: "\t") {
      let words = line.split(separator: " ")
      if words.count == 2 { arrivals[words[0]] = Int64(words[1]) }
    }
    return try commits.withLock { $0 }.map { key, committed in
      guard let arrived = arrivals[key[...]] else {
        throw PeerFailure(what: "the webhook of \(key) did not arrive")
      }
      return Double(arrived - committed) / 1e9
    }
  }
}
