import CivilTime
import Evidence
import Ledger
import LedgerStore
import Sandbox
import Scheduling

@testable import Operations

/// A service at work on a virtual clock, which the test lets run.
struct RunningService {
  let runtime: Runtime
  let service: Service
  let signals: ServiceSwitch
  let clock: VirtualClock
  private let running: Task<Void, Never>

  init(_ runtime: Runtime, on clock: VirtualClock) async throws {
    self.runtime = runtime
    self.clock = clock
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    self.signals = signals
    self.service = service
    running = clock.start { await service.run() }
  }

  /// Records in the ledger, seals included.
  var seq: UInt64 { runtime.store?.head.seq ?? 0 }

  /// Why nothing is granted now.
  var reason: String? { service.known.reason }

  /// Lets so much time pass.
  func pass(_ seconds: Int64) async { await clock.run(until: clock.now().adding(seconds: seconds)) }

  /// Ends the service and gives the data folder back.
  func stop() async {
    signals.stop()
    await running.value
    await runtime.close()
  }

  /// The latest instant that polls and inbox are taken to prove anything of.
  func provenThrough() async -> Instant {
    let kept = await LookMemory(runtime.writer).all()
    let looks = kept.entries.flatMap { entry in
      entry.history.coverage.intervals.map(\.to) + entry.history.failures.map(\.at)
        + (entry.history.latest.map { [$0.from] } ?? [])
    }
    return (looks + [kept.inboxThrough ?? .earliest]).max() ?? .earliest
  }

  /// Records that an operator has found the clock right.
  func acceptClock() async throws {
    _ = try await runtime.acceptClock(actor: "tester")
  }
}
