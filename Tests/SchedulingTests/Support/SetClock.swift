import CivilTime
import Scheduling
import Threading

/// A clock that shows what it was set to; nobody sleeps on it.
final class SetClock: ServiceClock {
  private let instant: Lock<Instant>

  init(_ instant: Instant) { self.instant = Lock(instant) }

  func now() -> Instant { instant.withLock { $0 } }
  func set(_ new: Instant) { instant.withLock { $0 = new } }
  func sleep(until instant: Instant) async throws { try Task.checkCancellation() }
  func sleep(seconds: Double) async throws { try Task.checkCancellation() }
  func beginWork() {}
  func endWork() {}
}
