import CivilTime
import Digests
import Foundation
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Operations

/// Measures a backlog of events delivered to a webhook on this machine: signed, recorded, in order for each user.
struct RelayBenchmark: Benchmark {
  let name = "relay"
  let summary =
    "a backlog of signed webhooks to a loopback receiver, beside aiohttp posting the same"

  private static let users = 5_000

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let (short, long) = (
      effort.pick(quick: 5_000, full: 50_000), effort.pick(quick: 50_000, full: 1_000_000)
    )
    let peer = try PythonPeer(
      PackageResources.webhooks_py, needing: "aiohttp", ["\(short)", RelayScene.secret])
    var (ours, processor, theirs): ([Double], [Double], [Double]) = ([], [], [])
    for round in 1...effort.rounds {
      let outcome = try await deliver(short)
      ours.append(outcome.perSecond)
      processor.append(outcome.elapsed.processor / Double(short))
      if let peer {
        let (seconds, count) = try peer.run()
        theirs.append(Double(count) / seconds)
      }
      note("round \(round): \(Figure.count(outcome.perSecond)) events/s")
    }
    let backlog = try await deliver(long)
    note("\(long) events: \(Figure.count(backlog.perSecond)) events/s")
    let work = "webhooks to a loopback receiver, signed and recorded, 64 at once, in order per user"
    let measured =
      "\(Figure.count(ours.median)) events/s, \(Figure.time(processor.median)) of processor each"
    return [
      ResultRow(
        work: work, measured: measured,
        peer: theirs.isEmpty
          ? "skipped: aiohttp is not here"
          : "aiohttp, posting signed bodies from memory: \(Figure.count(theirs.median))/s",
        ratio: theirs.isEmpty ? "–" : Figure.ratio(ours.median / theirs.median), asked: "2,000/s",
        isReached: ours.median >= 2_000),
      ResultRow(
        work: "a backlog of \(Figure.count(Double(long))) events",
        measured:
          "\(Figure.count(backlog.perSecond)) events/s, \(Figure.mebibytes(backlog.addedBytes)) more memory",
        asked: "64 MiB", isReached: backlog.addedBytes <= 64 << 20),
    ]
  }

  private struct Outcome {
    let perSecond: Double
    let elapsed: Elapsed
    /// The increase in peak memory.
    let addedBytes: Int
  }

  /// Delivers `count` events from a ledger; throws unless the receiver has seen each of them once and in order.
  private func deliver(_ count: Int) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let directory = DataDirectory("\(folder.path)/data")
    let clock = SystemClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let scene = RelayScene(store, directory, clock: clock)
    try await scene.commit(count, users: Self.users)
    let receiver = try PeerProcess.itself([HelperProcess.receive, "\(count)"])
    defer { receiver.wait() }
    let pump = try await scene.pump(
      to: RelayScene.webhook(try receiver.readLine(), clock: clock))
    let before = Machine.memory("VmRSS")
    let watch = Stopwatch()
    let running = Task { await pump.run() }
    // The receiver reports once it has the last one.
    let flaws = try await BlockingThread(named: "benchmarks.receiver").run {
      [receiver = Held(receiver)] in
      try receiver.value.readLine()
    }
    let elapsed = watch.elapsed
    let after = Machine.memory("VmRSS")
    await pump.finish(withinSeconds: 30)
    await running.value
    guard flaws == "0" else { throw PeerFailure(what: "the receiver saw \(flaws) flaws") }
    return Outcome(
      perSecond: Double(count) / elapsed.wall, elapsed: elapsed, addedBytes: max(0, after - before))
  }
}

/// Hands a value to another thread and waits for it to end.
private struct Held<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
