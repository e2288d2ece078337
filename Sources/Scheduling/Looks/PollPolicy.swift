public import CivilTime
import Ledger

/// When users are looked at: on an interval, and around the end of each one's own day.
public struct PollPolicy: Sendable, Equatable {
  /// Seconds between two looks at one user.
  public var everySeconds: Int64
  /// How long before the end of a user's day the last call begins, at least.
  public var lastCallSeconds: Int64
  /// How long after the end of a user's day the first call may take.
  public var firstCallSeconds: Int64
  /// How stale an answer may be: the first call waits for it.
  public var lagSeconds: Int64
  /// Users that the configured rate can look at in a second; decides how early last calls must start.
  public var usersPerSecond: Double
  /// How long before the end of a user's day the user is warned of a streak at risk, and looked at for that; nil for never.
  public var warningSeconds: Int64?

  /// A policy.
  public init(
    everySeconds: Int64, lastCallSeconds: Int64, firstCallSeconds: Int64, lagSeconds: Int64,
    usersPerSecond: Double
  ) {
    self.everySeconds = everySeconds
    self.lastCallSeconds = lastCallSeconds
    self.firstCallSeconds = firstCallSeconds
    self.lagSeconds = lagSeconds
    self.usersPerSecond = usersPerSecond
  }

  /// How many users the rate carries on the interval.
  public var capacity: Int { Int(usersPerSecond * Double(everySeconds)) }

  /// How long before the end the last call of `users` whose days end together begins, in seconds.
  public func lastCallLead(users: Int) -> Int64 {
    max(lastCallSeconds, Int64((Double(users) / max(usersPerSecond, 0.001)).rounded(.up)))
  }

  /// The next look at a user strictly after `instant`.
  ///
  /// `spread` in 0..<1 is the user's own place: it spreads users evenly over the interval, the last call and the first
  /// call. `window` is the user's running day; `peers` is how many users' days end with it.
  public func nextLook(
    after instant: Instant, window: DayWindow, spread: Double, peers: Int
  ) -> Instant {
    let phase = Int64(spread * Double(everySeconds))
    let sincePhase = instant.seconds - phase
    let ticks =
      sincePhase >= 0
      ? sincePhase / everySeconds : -((-sincePhase + everySeconds - 1) / everySeconds)
    let tick = Instant(seconds: (ticks + 1) * everySeconds + phase)
    let lead = lastCallLead(users: peers)
    // Never in the very last second: the answer must still belong to the day.
    let lastCall = window.end.adding(seconds: -1 - Int64(spread * Double(max(0, lead - 1))))
    let firstDelay = lagSeconds + 1 + Int64(spread * Double(firstCallSeconds))
    let firstCall = window.end.adding(seconds: firstDelay)
    let begin = window.start.adding(seconds: firstDelay)
    let warningCall = warningCall(spread: spread, in: window, peers: peers)
    return [tick, lastCall, firstCall, begin, warningCall ?? tick].filter { $0 > instant }.min()
      ?? tick
  }

  /// When a user whose running day is `window` is to be warned; nil for never.
  public func warningInstant(in window: DayWindow) -> Instant? {
    warningSeconds.map { max(window.start, window.end.adding(seconds: -$0)) }
  }

  /// The look by which it is known whether a user is to be warned; nil where nobody is.
  func warningCall(of user: String, in window: DayWindow, peers: Int) -> Instant? {
    warningCall(spread: Self.spread(of: user), in: window, peers: peers)
  }

  private func warningCall(spread: Double, in window: DayWindow, peers: Int) -> Instant? {
    let share = Int64(spread * Double(lastCallLead(users: peers)))
    return warningInstant(in: window).map { $0.adding(seconds: lagSeconds + 1 + share) }
  }

  /// A user's own place among all, 0..<1, the same in every run.
  public static func spread(of user: String) -> Double {
    // FNV-1a, then a finaliser: neighbouring ids must not be neighbours in time.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in user.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    hash ^= hash >> 33
    hash = hash &* 0xff51_afd7_ed55_8ccd
    hash ^= hash >> 33
    return Double(hash >> 11) / Double(1 << 53)
  }
}

extension PollPolicy {
  /// When each of these users is to be looked at next, strictly after `now`.
  public func nextLooks(
    at users: some Sequence<Int> & Sendable, by writer: LedgerWriter, after now: Instant
  ) async -> [(user: Int, due: Instant)] {
    let users = Array(users)
    return await writer.read { state in
      users.map { user in
        let account = state.ledger.accounts[user]
        let later = now.adding(seconds: everySeconds)
        // Who has left may come back, and a zone that is unknown may become known: they are asked for again.
        if !account.isPresent { return (user, later) }
        guard let window = try? state.openWindows(of: user, through: now).last?.window else {
          // Before the first judged day there is nothing to see.
          return (user, account.boundary > now ? account.boundary : later)
        }
        let due = nextLook(
          after: now, window: window, spread: Self.spread(of: account.id),
          peers: state.ledger.users.zones.population(of: account.zone))
        return (user, due)
      }
    }
  }
}
