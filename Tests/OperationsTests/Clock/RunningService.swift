import CivilTime
import Evidence
import Ledger
import LedgerStore
import Operations
import Sandbox
import Scheduling

/// A service at work on a virtual clock, which the test lets run.
struct RunningService {
  let workplace: Workplace
  let service: Service
  let signals: ServiceSwitch
  let clock: VirtualClock
  private let running: Task<Void, Never>

  init(_ workplace: Workplace, on clock: VirtualClock) async throws {
    self.workplace = workplace
    self.clock = clock
    let signals = ServiceSwitch()
    let service = try await Service.start(workplace, signals: signals)
    self.signals = signals
    self.service = service
    running = clock.start { await service.run() }
  }

  /// Records in the ledger, seals included.
  var seq: UInt64 { workplace.store?.head.seq ?? 0 }

  /// Why nothing is granted now.
  var reason: String? { service.readiness.reason }

  /// Lets so much time pass.
  func pass(_ seconds: Int64) async { await clock.run(until: clock.now().adding(seconds: seconds)) }

  /// Ends the service and gives the data folder back.
  func stop() async {
    signals.stop()
    await running.value
    await workplace.close()
  }

  /// The latest instant that looks and inbox are taken to prove anything of.
  func provenThrough() async -> Instant {
    let kept = await workplace.clerk.looksToKeep()
    let looks = kept.entries.flatMap { entry in
      entry.history.coverage.intervals.map(\.to) + entry.history.failures.map(\.at)
        + (entry.history.latest.map { [$0.from] } ?? [])
    }
    return (looks + [kept.watermark?.through ?? .earliest]).max() ?? .earliest
  }

  /// Records that an operator has found the clock right.
  func acceptClock() async throws {
    try await workplace.clerk.note(
      OperatorRecord(
        act: .acceptClock, subject: clock.now().description,
        reason: "rewards doctor --accept-clock", actor: "tester"))
  }
}
