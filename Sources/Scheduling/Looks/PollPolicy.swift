package import CivilTime
import Digests

/// When to poll users: on an interval, and around the end of each user's own day.
package struct PollPolicy: Sendable, Equatable {
  /// Seconds between two polls of one user.
  package var everySeconds: Int64
  /// The minimum lead of the last call before the end of a user's day, in seconds.
  package var lastCallSeconds: Int64
  /// The longest time the first call may take after the end of a user's day, in seconds.
  package var firstCallSeconds: Int64
  /// How stale an answer may be, in seconds; the first call waits that long.
  package var lagSeconds: Int64
  /// How many users per second the configured rate allows. Determines how early last calls must start.
  package var usersPerSecond: Double
  /// How long before the end of a day a user is polled and warned of a streak at risk, in seconds; nil for never.
  package var warningSeconds: Int64?

  package init(
    everySeconds: Int64, lastCallSeconds: Int64, firstCallSeconds: Int64, lagSeconds: Int64,
    usersPerSecond: Double
  ) {
    self.everySeconds = everySeconds
    self.lastCallSeconds = lastCallSeconds
    self.firstCallSeconds = firstCallSeconds
    self.lagSeconds = lagSeconds
    self.usersPerSecond = usersPerSecond
  }

  /// The number of users the rate can serve on the interval.
  package var capacity: Int { Int(usersPerSecond * Double(everySeconds)) }

  /// Returns how many seconds before the end the last call begins, for `users` whose days end together.
  package func lastCallLead(users: Int) -> Int64 {
    max(lastCallSeconds, Int64((Double(users) / max(usersPerSecond, 0.001)).rounded(.up)))
  }

  /// Returns the next poll of a user strictly after `instant`.
  ///
  /// `spread` in 0..<1 is the user's own place, which spreads users evenly over the interval, the last call and the
  /// first call. `window` is the user's running day, and `peers` is the number of users whose days end with it.
  package func nextLook(
    after instant: Instant, window: DayWindow, spread: Double, peers: Int
  ) -> Instant {
    let tick = self.tick(after: instant, spread: spread)
    let lastCall = self.lastCall(before: window.end, spread: spread, peers: peers)
    let firstCall = self.firstCall(after: window.end, spread: spread)
    let begin = self.firstCall(after: window.start, spread: spread)
    let warningCall = warningCall(spread: spread, in: window, peers: peers)
    return [tick, lastCall, firstCall, begin, warningCall ?? tick].filter { $0 > instant }.min()
      ?? tick
  }

  /// Returns when the API can report what was true at `instant`.
  func fresh(_ instant: Instant) -> Instant { instant.adding(seconds: lagSeconds) }

  /// Returns the first poll after `instant` on the interval, or on the interval `every`, in seconds.
  func tick(after instant: Instant, spread: Double, every: Int64? = nil) -> Instant {
    let every = every ?? everySeconds
    let phase = phase(spread: spread)
    let sincePhase = instant.seconds - phase
    let ticks = sincePhase >= 0 ? sincePhase / every : -((-sincePhase + every - 1) / every)
    return Instant(seconds: (ticks + 1) * every + phase)
  }

  /// Returns the last poll on the interval before `instant`.
  func lastTick(before instant: Instant, spread: Double) -> Instant {
    tick(after: instant.adding(seconds: -1 - everySeconds), spread: spread)
  }

  /// Returns a user's place on the interval, never where an answer is too stale for the midnight just past.
  private func phase(spread: Double) -> Int64 {
    let dead = lagSeconds + 1 < everySeconds ? lagSeconds + 1 : 0
    return dead + Int64(spread * Double(everySeconds - dead))
  }

  /// Returns the last call before the end of a day. Never in the very last second, since the answer must still belong
  /// to the day.
  func lastCall(before end: Instant, spread: Double, peers: Int) -> Instant {
    let lead = lastCallLead(users: peers)
    return end.adding(seconds: -1 - Int64(spread * Double(max(0, lead - 1))))
  }

  /// Returns the first call after the end of a day.
  func firstCall(after end: Instant, spread: Double) -> Instant {
    end.adding(seconds: lagSeconds + 1 + Int64(spread * Double(firstCallSeconds)))
  }

  /// Returns when to warn a user whose running day is `window`; nil for never.
  package func warningInstant(in window: DayWindow) -> Instant? {
    warningSeconds.map { max(window.start, window.end.adding(seconds: -$0)) }
  }

  /// Returns the poll that decides whether to warn a user; nil if users are not warned.
  func warningCall(of user: String, in window: DayWindow, peers: Int) -> Instant? {
    warningCall(spread: Self.spread(of: user), in: window, peers: peers)
  }

  func warningCall(spread: Double, in window: DayWindow, peers: Int) -> Instant? {
    let share = Int64(spread * Double(lastCallLead(users: peers)))
    return warningInstant(in: window).map { $0.adding(seconds: lagSeconds + 1 + share) }
  }

  /// Returns a user's own place among all users, in 0..<1; the same in every run.
  package static func spread(of user: String) -> Double {
    // With a finaliser, because neighbouring ids must not be neighbours in time.
    var hash = user.utf8.fnv1a
    hash ^= hash >> 33
    hash = hash &* 0xff51_afd7_ed55_8ccd
    hash ^= hash >> 33
    return Double(hash >> 11) / Double(1 << 53)
  }
}
