package import CivilTime
package import Evidence

/// What remains to be found out about a user's running day.
package struct LookNeeds: Sendable {
  /// The running day.
  package var window: DayWindow
  /// The user's own place among all users, in 0..<1.
  package var spread: Double
  /// The number of users whose days end together with this one.
  package var peers: Int
  /// The polled kinds that rules need and that have not been seen today.
  package var unmet: KindSet = []
  /// The polled kinds that must not wait for their next poll: the end of an earlier open day was not seen, the last
  /// poll failed, or an activity that was going on when the day began has not been seen since.
  package var owed: KindSet = []
  /// Whether to poll the owed kinds sooner than the interval, because their answers may soon be available.
  package var mayComeSoon = false
  /// The kinds whose missions have a minimum duration. For these, later polls do not reveal what went before.
  package var lasting: KindSet = []
  /// Whether any route reports only a count. The count at the end of the day is the one the next day begins with.
  package var isCounted = false
  /// Until when polls have covered each polled kind, in the order of the routes.
  package var seenThrough = Source.routes.map { _ in Instant.earliest }
  /// When the user was last seen active today; nil if not seen.
  package var presentAt: Instant?
  /// Whether the user's streak may break with the day.
  package var isWarned = false

  /// Creates the needs of a day about which nothing remains to be found out.
  package init(_ window: DayWindow, spread: Double, peers: Int) {
    self.window = window
    self.spread = spread
    self.peers = peers
  }

  /// An open day, with the polled kinds that its rules still need more polls for.
  package struct OpenDay: Sendable {
    /// The day.
    package var window: DayWindow
    /// The kinds.
    package var lacking: KindSet

    package init(window: DayWindow, lacking: KindSet) {
      self.window = window
      self.lacking = lacking
    }
  }

  /// Creates the needs of the last of `days`, the open days in order, including what earlier ones still lack.
  ///
  /// `activities` are those known on open days, and `looks` are the route histories. Nil if there is no day.
  package init?(
    _ days: [OpenDay], spread: Double, peers: Int, activities: [Activity], looks: LookHistories
  ) {
    guard let today = days.last else { return nil }
    self.init(today.window, spread: spread, peers: peers)
    for activity in activities
    where activity.effective(in: window, counting: .overlaps) != nil {
      let last = max(activity.from, activity.to)
      presentAt = max(presentAt ?? last, last)
    }
    for (place, route) in Source.routes.enumerated() {
      guard let kind = route.polledKind else { continue }
      let history = looks[route]
      let seen = history.coverage.last?.to ?? .earliest
      seenThrough[place] = seen
      if today.lacking.contains(kind) {
        unmet.insert(kind)
        if let failure = history.failures.last, failure.at > max(seen, history.newestLook) {
          owed.insert(kind)
          if failure.cause.maySoonPass { mayComeSoon = true }
        }
        if history.latest?.isOpen == true, seen <= window.start { owed.insert(kind) }
      }
      for earlier in days.dropLast()
      where seen < earlier.window.end && earlier.lacking.contains(kind) {
        owed.insert(kind)
        if history.failures.last?.cause.maySoonPass ?? true {
          mayComeSoon = true
        }
      }
    }
  }
}

extension FailureCause {
  /// Whether the cause goes away by itself. The others call for fewer requests or for an operator.
  package var maySoonPass: Bool {
    switch self {
    case .timedOut, .unreachable, .serverError, .circuitOpen, .retryBudget, .cancelled: true
    default: false
    }
  }
}
