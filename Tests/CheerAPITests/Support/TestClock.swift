import CivilTime
import Foundations
import Scheduling

/// A clock whose sleepers return at once, the time being what they waited for.
final class TestClock: ServiceClock {
  private struct State {
    var now: Instant
    var sleeps: [Double] = []
    var work = 0
  }

  private let state: Lock<State>

  init(_ now: Instant = Instant(seconds: 1_763_600_000)) { state = Lock(State(now: now)) }

  var sleeps: [Double] { state.withLock { $0.sleeps } }
  var workInHand: Int { state.withLock { $0.work } }

  func now() -> Instant { state.withLock { $0.now } }

  func advance(seconds: Int64) { state.withLock { $0.now = $0.now.adding(seconds: seconds) } }

  func sleep(until instant: Instant) async throws {
    try Task.checkCancellation()
    state.withLock { $0.now = max($0.now, instant) }
    await Task.yield()
  }

  func sleep(seconds: Double) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.sleeps.append(seconds)
      let nanos = Int64(state.now.nanoseconds) + Int64((seconds * 1e9).rounded(.up))
      let whole = state.now.adding(seconds: nanos / 1_000_000_000)
      state.now = Instant(seconds: whole.seconds, nanoseconds: Int32(nanos % 1_000_000_000))
    }
    await Task.yield()
  }

  func beginWork() { state.withLock { $0.work += 1 } }
  func endWork() { state.withLock { $0.work -= 1 } }
}
