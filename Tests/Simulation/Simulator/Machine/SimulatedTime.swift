import CivilTime
import Foundations
import Sandbox
import Scheduling

/// The clocks of the simulated machine, and all who sleep on them.
///
/// True time runs on through everything. The boot clock runs with it; the monotonic clock stands still while the machine is
/// suspended; the wall clock is true time and what operators and NTP have made of it.
final class SimulatedTime: Sendable {
  private struct Sleeper {
    let process: ProcessNumber
    let waker: CheckedContinuation<Void, any Error>
  }

  private struct State {
    let start: Instant
    var monotonic: Int64 = 0
    var suspended: Int64 = 0
    var stepSeconds: Int64 = 0
    var boot = 1
    /// Since when a time server could keep the clock, by the monotonic clock and what it leaves out.
    var rightSince: Int64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    var queue = Heap<Bed>()
    var lastTicket: UInt64 = 0
    /// Wakers of sleepers that have died: to let them go would complain that nobody woke them.
    var dead: [Sleeper] = []
  }

  private let state: Lock<State>

  init(at start: Instant) { state = Lock(State(start: start)) }

  /// What the time really is.
  var truth: Instant {
    state.withLock { $0.start.adding(nanoseconds: $0.monotonic + $0.suspended) }
  }

  /// What the wall clock shows.
  var wall: Instant {
    state.withLock {
      $0.start.adding(nanoseconds: $0.monotonic + $0.suspended).adding(seconds: $0.stepSeconds)
    }
  }

  /// How far the wall clock stands from the truth.
  var stepSeconds: Int64 { state.withLock { $0.stepSeconds } }

  var sinceBoot: Int64 { state.withLock { $0.monotonic + $0.suspended } }

  /// Which boot of the machine this is.
  var boot: Int { state.withLock { $0.boot } }

  /// The machine starts again. What its boot clock counts goes on here, since nobody compares it across boots.
  func reboot() {
    state.withLock {
      $0.boot += 1
      $0.rightSince = $0.monotonic + $0.suspended
    }
  }

  /// Whether a time server keeps the wall clock: some minutes after a start, and after it was set right.
  var isSynchronized: Bool {
    state.withLock {
      $0.stepSeconds == 0 && $0.monotonic + $0.suspended - $0.rightSince > 600_000_000_000
    }
  }

  /// Moves the hands of the wall clock.
  func step(bySeconds seconds: Int64) {
    state.withLock {
      $0.stepSeconds += seconds
      $0.rightSince = $0.monotonic + $0.suspended
    }
  }

  /// Lets the machine sleep: true time passes, and nobody is woken by it.
  func suspend(forSeconds seconds: Int64) {
    state.withLock { $0.suspended += seconds * 1_000_000_000 }
  }

  /// Lets time pass up to `limit`, by true time, or to the next sleeper's turn, whichever is first; that sleeper is woken.
  /// False when the limit has come.
  func advance(to limit: Instant) -> Bool {
    let woken = state.withLock { state -> Sleeper? in
      let span = limit.nanoseconds(
        since: state.start.adding(nanoseconds: state.monotonic + state.suspended))
      let end = state.monotonic + max(0, span)
      while let bed = state.queue.first, bed.deadline <= end {
        _ = state.queue.popFirst()
        guard let sleeper = state.sleepers.removeValue(forKey: bed.ticket) else { continue }
        if Executor.shared.isDead(sleeper.process) {
          state.dead.append(sleeper)
          continue
        }
        state.monotonic = max(state.monotonic, bed.deadline)
        return sleeper
      }
      state.monotonic = end
      return nil
    }
    guard let woken else { return false }
    Executor.shared.act(as: woken.process) { woken.waker.resume() }
    return true
  }

  fileprivate func sleep(nanoseconds: Int64) async throws {
    try Task.checkCancellation()
    if nanoseconds <= 0 { return }
    let process = Executor.shared.process
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waker: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return waker.resume(throwing: CancellationError()) }
        state.withLock { state in
          state.sleepers[ticket] = Sleeper(process: process, waker: waker)
          let (sum, overflow) = state.monotonic.addingReportingOverflow(nanoseconds)
          state.queue.insert(Bed(deadline: overflow ? .max : sum, ticket: ticket))
        }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: ticket) }
      guard let sleeper else { return }
      Executor.shared.act(as: sleeper.process) {
        sleeper.waker.resume(throwing: CancellationError())
      }
    }
  }
}

/// When a sleeper is to wake: the earliest first, among equals the one that lay down first.
private struct Bed: Comparable {
  let deadline: Int64
  let ticket: UInt64

  static func < (left: Bed, right: Bed) -> Bool {
    (left.deadline, left.ticket) < (right.deadline, right.ticket)
  }
}

/// The machine's clocks as a process of it has them.
struct MachineClock: ServiceClock {
  let time: SimulatedTime

  func now() -> Instant { time.wall }
  func sinceBoot() -> Int64? { time.sinceBoot }
  var boot: String? { "boot \(time.boot)" }
  var isSynchronized: Bool? { time.isSynchronized }

  func sleep(until instant: Instant) async throws {
    try await time.sleep(nanoseconds: instant.nanoseconds(since: time.wall))
  }

  func sleep(seconds: Double) async throws {
    try await time.sleep(nanoseconds: Int64((max(0, min(seconds, 9e8)) * 1e9).rounded(.up)))
  }

  func beginWork() {}
  func endWork() {}
}

/// What the time really is: for the world outside of the machine.
struct TrueClock: ServiceClock {
  let time: SimulatedTime

  func now() -> Instant { time.truth }
  func sleep(until instant: Instant) async throws {
    try await time.sleep(nanoseconds: instant.nanoseconds(since: time.truth))
  }
  func sleep(seconds: Double) async throws {
    try await time.sleep(nanoseconds: Int64((max(0, min(seconds, 9e8)) * 1e9).rounded(.up)))
  }
  func beginWork() {}
  func endWork() {}
}
