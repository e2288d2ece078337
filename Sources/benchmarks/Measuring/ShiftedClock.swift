import CivilTime
import Operations
import Scheduling

/// The machine's clock, set so that it showed `start` when it was made: real passing time, the same world in every run.
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
