import CivilTime
import Foundations
import Scheduling

/// A clock that shows what it was set to; nobody sleeps on it.
final class SetClock: ServiceClock {
  private let instant: Lock<Instant>
  private let unsureSeconds = Lock<Int64>(0)

  init(_ instant: Instant) { self.instant = Lock(instant) }

  func now() -> Instant { instant.withLock { $0 } }
  func certain() -> Instant { now().adding(seconds: -unsureSeconds.withLock { $0 }) }
  /// From now on the present may be so much before what it shows.
  func doubt(bySeconds seconds: Int64) { unsureSeconds.withLock { $0 = seconds } }
  func set(_ new: Instant) { instant.withLock { $0 = new } }
  func sleep(until instant: Instant) async throws { try Task.checkCancellation() }
  func sleep(seconds: Double) async throws { try Task.checkCancellation() }
  func beginWork() {}
  func endWork() {}
}
