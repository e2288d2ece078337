internal import CivilTime

/// The state of a virtual clock, which decides what wakes next.
struct VirtualTime {
  /// What to resume after a change.
  enum Turn {
    case sleeper(SleeperQueue.Waker)
    case driver(CheckedContinuation<Void, Never>)
    case nobody
  }

  /// The wall clock's time before any time has passed.
  var origin: Instant
  /// The total number of nanoseconds that may pass: monotonic, so that a step of the wall clock makes no time pass.
  private var limit: Int64
  /// The nanoseconds of monotonic time that have passed.
  private(set) var elapsed: Int64 = 0
  var unitsInHand = 0
  var sleepers = SleeperQueue()
  /// The caller that waits for `limit`.
  var driver: CheckedContinuation<Void, Never>?
  private var lastTicket: UInt64 = 0

  init(origin: Instant, limit: Instant) {
    self.origin = origin
    self.limit = limit.nanoseconds(since: origin)
  }

  /// The wall clock's time.
  var wall: Instant { origin.adding(nanoseconds: elapsed) }

  /// Lets time pass until the wall clock, as currently set, shows `instant`.
  mutating func setLimit(_ instant: Instant) { limit = instant.nanoseconds(since: origin) }

  /// Sets the wall clock to `instant` at once, never back; those who slept past it wake late.
  mutating func jump(to instant: Instant) {
    elapsed = max(elapsed, instant.nanoseconds(since: origin))
  }

  mutating func makeTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  /// Jumps ahead if no task has work in hand; a woken sleeper has its unit again.
  mutating func nextTurn() -> Turn {
    guard unitsInHand == 0 else { return .nobody }
    if let deadline = sleepers.earliestDeadline(), deadline <= limit,
      let waker = sleepers.popEarliest()
    {
      elapsed = max(elapsed, deadline)
      unitsInHand = 1
      return .sleeper(waker)
    }
    guard let driver else { return .nobody }
    self.driver = nil
    elapsed = max(elapsed, limit)
    return .driver(driver)
  }
}
