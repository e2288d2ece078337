internal import CivilTime

/// The state of a virtual clock, and the decision who wakes next.
struct VirtualTime {
  /// Who is to be resumed after a change.
  enum Turn {
    case sleeper(SleeperQueue.Waker)
    case driver(CheckedContinuation<Void, Never>)
    case nobody
  }

  /// What the wall shows when no time has passed.
  var origin: Instant
  /// How many nanoseconds may pass in all: monotonic, so that a step of the wall clock makes no time pass.
  private var limit: Int64
  /// Nanoseconds of monotonic time that have passed.
  private(set) var elapsed: Int64 = 0
  var unitsInHand = 0
  var sleepers = SleeperQueue()
  /// Who waits for `limit`.
  var driver: CheckedContinuation<Void, Never>?
  private var lastTicket: UInt64 = 0

  init(origin: Instant, limit: Instant) {
    self.origin = origin
    self.limit = limit.nanoseconds(since: origin)
  }

  /// What the wall shows.
  var wall: Instant { origin.adding(nanoseconds: elapsed) }

  /// Lets time pass until the wall, as it hangs now, shows `instant`.
  mutating func setLimit(_ instant: Instant) { limit = instant.nanoseconds(since: origin) }

  mutating func makeTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  /// Jumps when nobody has work in hand; a woken sleeper has its unit again.
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
