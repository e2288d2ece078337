import CivilTime
import Foundations
import LedgerStore
import NotificationRelay
import Sandbox

/// Measures a sink that is down for a simulated day, beside a healthy one.
struct OutageBenchmark: Benchmark {
  let name = "relay-outage"
  let summary = "a day of events to a sink that is well, alone and beside one that is down"

  private static let start = Instant(seconds: 1_795_176_000)
  private static let minutes = 1_440
  private static let users = 2_000

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let perMinute = effort.pick(quick: 20, full: 100)
    var (alone, beside): ([Double], [Double]) = ([], [])
    var last: Outcome?
    for round in 1...effort.rounds {
      alone.append(try await day(perMinute, withOutage: false).seconds)
      let outcome = try await day(perMinute, withOutage: true)
      beside.append(outcome.seconds)
      last = outcome
      note(
        "round \(round): alone \(Figure.time(alone[round - 1])), beside \(Figure.time(outcome.seconds)), \(outcome.attempts) attempts at the one that is down"
      )
    }
    let ratio = beside.median / alone.median
    return [
      ResultRow(
        work:
          "a simulated day of \(Figure.count(Double(Self.minutes * perMinute))) events to a sink that is well, beside one that is down",
        measured:
          "\(Figure.time(beside.median)); \(last?.attempts ?? 0) attempts at the other, \(Figure.mebibytes(last?.addedBytes ?? 0)) more memory",
        peer: "without the other: \(Figure.time(alone.median))", ratio: Figure.ratio(ratio),
        asked: "1", isReached: ratio <= 1.25)
    ]
  }

  private struct Outcome {
    /// The total time from each commit until the healthy sink had everything.
    let seconds: Double
    let attempts: Int
    let addedBytes: Int
  }

  private func day(_ perMinute: Int, withOutage: Bool) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let directory = DataDirectory("\(folder.path)/data")
    let clock = VirtualClock(at: Self.start, until: Self.start)
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let scene = RelayScene(store, directory, clock: clock)
    let (well, down) = (CountingSink(isWell: true), CountingSink(isWell: false))
    var pumps = [try await scene.pump(to: well, "well")]
    if withOutage { pumps.append(try await scene.pump(to: down, "down")) }
    let running = pumps.map { pump in Task { await pump.run() } }
    let before = Machine.memory("VmRSS")
    var seconds = 0.0
    for minute in 1...Self.minutes {
      let watch = Stopwatch()
      try await scene.commit(perMinute, users: Self.users)
      for pump in pumps { pump.noteCommit() }
      while well.delivered < minute * perMinute { await Task.yield() }
      seconds += watch.elapsed.wall
      await clock.run(until: Self.start.adding(seconds: Int64(minute) * 60))
    }
    let outcome = Outcome(
      seconds: seconds, attempts: down.attempts,
      addedBytes: max(0, Machine.memory("VmRSS") - before))
    // It recovers: everything arrives.
    down.recover()
    if withOutage { try await pumps[1].resume(actor: "benchmarks") }
    while withOutage, down.delivered < Self.minutes * perMinute { await Task.yield() }
    for pump in pumps { await pump.finish(withinSeconds: 30) }
    for task in running { await task.value }
    return outcome
  }
}

/// A sink in memory that accepts everything, or nothing.
private final class CountingSink: Sink {
  private struct State {
    var isWell: Bool
    var delivered = 0
    var attempts = 0
  }

  private let state: Lock<State>
  let options = SinkOptions()

  init(isWell: Bool) { state = Lock(State(isWell: isWell)) }

  var delivered: Int { state.withLock { $0.delivered } }
  var attempts: Int { state.withLock { $0.attempts } }

  func recover() { state.withLock { $0.isWell = true } }

  func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    state.withLock { state in
      state.attempts += 1
      guard state.isWell else {
        return [.failed(DeliveryFailure("no connection", isSinkWide: true))]
      }
      state.delivered += events.count
      return events.map { _ in .delivered(status: 204) }
    }
  }
}
