package import CivilTime
package import Evidence

/// Decides when to poll which user for which kinds: around midnight always, otherwise where a find is likely.
///
/// Pure and deterministic. What is not polled is unknown, never missed, so a worse guess only delays a grant.
package struct LookPlanner: Sendable, Equatable {
  /// How polls are spread over the day.
  package enum Plan: String, Sendable, CaseIterable {
    /// By each user's habits.
    case habits
    /// Evenly, for everything not yet met.
    case interval
  }

  /// A planned poll.
  package struct PlannedLook: Sendable, Equatable {
    /// When it is due.
    package var due: Instant
    /// Until when it may be delayed if the rate is too low; ``due`` for a call around midnight.
    package var latest: Instant

    /// Creates a poll that is due and may be put off.
    package init(due: Instant, latest: Instant) {
      self.due = due
      self.latest = latest
    }
  }

  /// The interval, and the calls around midnight.
  package var policy: PollPolicy
  /// How polls are spread over the day.
  package var plan: Plan

  /// From this many expected finds an hour, a kind is polled once per interval.
  static let worthAsking = 0.001_6
  /// From this many, it is polled twice per interval.
  static let worthAskingTwice = 0.035
  /// The probability of an unseen activity at which a kind is polled once.
  static let worthLooking = 0.05
  /// The share of days from which a user counts as known to use a kind.
  private static let knownUse = 0.02
  /// The number of retries per interval after a failed poll.
  private static let retriesAnInterval: Int64 = 3
  /// How long a user counts as present after being seen, in seconds.
  private static let presenceSeconds: Int64 = 3_600
  /// The share of a kind's daily use expected in an hour while the user is present.
  private static let presentShare = 0.5

  package init(_ policy: PollPolicy, plan: Plan) {
    self.policy = policy
    self.plan = plan
  }

  /// Returns the next poll of a user after `now`.
  package func next(after now: Instant, for needs: LookNeeds, _ habits: UserHabits) -> PlannedLook {
    let window = needs.window
    if plan == .interval {
      let due = policy.nextLook(
        after: now, window: window, spread: needs.spread, peers: needs.peers)
      return PlannedLook(due: due, latest: due)
    }
    let calls = Calls(policy, needs)
    var fixed = now < calls.begin ? calls.begin : calls.first
    let isCalledLast = !needs.unmet.isEmpty || needs.isCounted
    if isCalledLast, now < calls.last { fixed = min(fixed, calls.last) }
    if needs.isWarned, let warning = calls.warning, warning > now { fixed = min(fixed, warning) }
    if !needs.owed.isEmpty {
      fixed = min(fixed, retry(after: now, needs))
    }
    var due = fixed
    let end = min(fixed, calls.last)
    if now < end {
      let expectation = habits.expectation(at: now)
      for (place, kind) in Self.kinds.enumerated() where needs.unmet.contains(kind) {
        let outlook = Outlook(needs, place: place, expectation)
        if let look = firstLook(after: max(now, calls.begin), before: end, outlook, needs) {
          due = min(due, look)
        }
      }
    }
    return PlannedLook(due: due, latest: fixed)
  }

  /// Returns the kinds worth polling at `now`.
  package func kinds(at now: Instant, for needs: LookNeeds, _ habits: UserHabits) -> KindSet {
    if plan == .interval { return needs.unmet.union(needs.owed) }
    var kinds = needs.owed
    let calls = Calls(policy, needs)
    if now >= calls.last { return kinds.union(needs.unmet) }
    let expectation = habits.expectation(at: now)
    for (place, kind) in Self.kinds.enumerated() where needs.unmet.contains(kind) {
      let isForWarning =
        calls.warning.map {
          needs.isWarned && $0 <= now
            && needs.seenThrough[place] < $0.adding(seconds: -policy.lagSeconds)
        }
        ?? false
      let outlook = Outlook(needs, place: place, expectation)
      if isForWarning || outlook.rate(at: now) >= Self.worthAsking
        || outlook.unseen(at: now) >= Self.worthLooking - 1e-9
      {
        kinds.insert(kind)
      }
    }
    return kinds
  }

  /// Returns the expected requests for a day of a user by hour, including the calls around midnight, if nothing is met
  /// yet.
  package func expectedRequests(for needs: LookNeeds, _ habits: UserHabits) -> [Double] {
    var hours = Array(repeating: 0.0, count: 24)
    hours[UserHabits.hour(of: needs.window.end.adding(seconds: -1))] += Double(
      needs.unmet.kinds.count)
    hours[UserHabits.hour(of: needs.window.start)] += Double(needs.unmet.kinds.count)
    let expectation = habits.expectation(at: needs.window.start)
    for (place, kind) in Self.kinds.enumerated() where needs.unmet.contains(kind) {
      for hour in 0..<24 {
        let rate = expectation.uses[place] * expectation.hours[hour]
        let looks = 3_600 / Double(interval(at: rate) ?? .max)
        // Once met, it is no longer polled, which saves half of the polls on days when it is used.
        hours[hour] += looks * (1 - expectation.uses[place] / 2)
      }
    }
    return hours
  }

  /// The kinds reported by routes, in the order of the routes.
  static let kinds = Source.routes.compactMap(\.polledKind)

  /// Returns the seconds between two polls at a rate of `rate` finds per hour; nil if not worth it.
  private func interval(at rate: Double) -> Int64? {
    if plan == .interval { return policy.everySeconds }
    if rate >= Self.worthAskingTwice { return max(policy.everySeconds / 2, 1) }
    return rate >= Self.worthAsking ? policy.everySeconds : nil
  }

  /// Returns when to poll again after a failed poll or an unseen end of a day: sooner than the interval, unless the
  /// failure is permanent.
  private func retry(after now: Instant, _ needs: LookNeeds) -> Instant {
    let every =
      needs.mayComeSoon
      ? max(policy.everySeconds / Self.retriesAnInterval, 1) : policy.everySeconds
    return policy.tick(after: now, spread: needs.spread, every: every)
  }

  /// Returns the first instant after `now` at which a kind is worth polling; nil if there is none before `end`.
  private func firstLook(
    after now: Instant, before end: Instant, _ outlook: Outlook, _ needs: LookNeeds
  ) -> Instant? {
    var from = now
    var unseen = outlook.unseen(at: now)
    while from < end {
      let stop = min(outlook.rateEnd(after: from), end)
      let rate = outlook.rate(at: from)
      if let every = interval(at: rate) {
        let tick = policy.tick(after: from, spread: needs.spread, every: every)
        if tick < stop { return tick }
      } else {
        let seconds = (Self.worthLooking - unseen) / rate * 3_600
        let due = from.adding(seconds: Int64(min(max(seconds, 0), 1e6).rounded(.up)))
        let tick = policy.tick(after: due.adding(seconds: -1), spread: needs.spread)
        if tick > now, tick < stop { return tick }
      }
      unseen += rate * Double(stop.seconds - from.seconds) / 3_600
      from = stop
    }
    return nil
  }

  /// The polls around midnight, and the one before a warning.
  private struct Calls {
    var begin: Instant
    var last: Instant
    var first: Instant
    var warning: Instant?

    init(_ policy: PollPolicy, _ needs: LookNeeds) {
      let window = needs.window
      let (spread, peers) = (needs.spread, needs.peers)
      begin = policy.firstCall(after: window.start, spread: spread)
      first = policy.firstCall(after: window.end, spread: spread)
      last = policy.lastCall(before: window.end, spread: spread, peers: peers)
      warning = policy.warningCall(spread: spread, in: window, peers: peers)
      // If the interval's own poll is closer to midnight, it replaces the call, so that the plan never sees less.
      let tick = policy.tick(after: last, spread: spread)
      if tick < window.end { last = policy.lastTick(before: window.end, spread: spread) }
      begin = min(begin, policy.tick(after: policy.fresh(window.start), spread: spread))
      first = min(first, policy.tick(after: policy.fresh(window.end), spread: spread))
    }
  }

  /// The probability of finding one kind, given that it has not been seen today.
  private struct Outlook {
    private let seen: Instant
    /// The least rate, in finds per hour.
    private let floor: Double
    private let present: ClosedRange<Instant>?
    private let use: Double
    private let expectation: UserHabits.Expectation
    /// The probability that nothing had happened by ``seen``.
    private let open: Double

    init(_ needs: LookNeeds, place: Int, _ expectation: UserHabits.Expectation) {
      // Where only the last activity is reported, a user known to do such things is not left alone for long.
      let kind = LookPlanner.kinds[place]
      let mayHide = needs.lasting.contains(kind) && kind.source.extent == .last
      floor =
        mayHide && expectation.uses[place] > LookPlanner.knownUse ? LookPlanner.worthAsking : 0
      seen = min(max(needs.seenThrough[place], needs.window.start), needs.window.end)
      use = expectation.uses[place]
      self.expectation = expectation
      present = needs.presentAt.map { $0...$0.adding(seconds: LookPlanner.presenceSeconds) }
      open = max(0.03, 1 - use * expectation.share(from: needs.window.start, to: seen))
    }

    /// Returns the finds per hour at `instant`.
    func rate(at instant: Instant) -> Double {
      let rate = max(floor, use * expectation.hours[UserHabits.hour(of: instant)] / open)
      guard let present, present.contains(instant) else { return rate }
      return max(rate, use * LookPlanner.presentShare)
    }

    /// Returns until when ``rate(at:)`` stays the same.
    func rateEnd(after instant: Instant) -> Instant {
      let hour = Instant(seconds: (instant.seconds / 3_600 + 1) * 3_600)
      guard let present else { return hour }
      if instant < present.lowerBound { return min(hour, present.lowerBound) }
      if instant <= present.upperBound { return min(hour, present.upperBound.adding(seconds: 1)) }
      return hour
    }

    /// Returns the probability that something has happened unseen by `instant`.
    func unseen(at instant: Instant) -> Double {
      use * expectation.share(from: seen, to: instant) / open
    }
  }
}

extension UserHabits.Expectation {
  /// Returns the share of a day's uses that begin between two instants.
  fileprivate func share(from: Instant, to: Instant) -> Double {
    var share = 0.0
    var from = from
    while from < to {
      let stop = min(Instant(seconds: (from.seconds / 3_600 + 1) * 3_600), to)
      share += hours[UserHabits.hour(of: from)] * Double(stop.seconds - from.seconds) / 3_600
      from = stop
    }
    return share
  }
}
