public import CivilTime
public import Evidence

/// What there is to find out of a user's running day, by all that is known.
public struct LookNeeds: Sendable {
  /// The running day.
  public var window: DayWindow
  /// The user's own place among all, 0..<1.
  public var spread: Double
  /// How many users' days end with this one's.
  public var peers: Int
  /// The polled kinds that rules need today and of which nothing was seen today.
  public var unmet: KindSet = []
  /// The polled kinds of which a look must not wait: the end of an earlier open day was not seen, the last look failed, or
  /// something that was going on when the day began was not seen since.
  public var owed: KindSet = []
  /// Whether what is owed is asked again sooner than on the interval: it may be there by then.
  public var mayComeSoon = false
  /// The kinds whose missions want them to last: of those, what is seen later does not tell what went before.
  public var lasting: KindSet = []
  /// Whether a route tells a number: that at the end of the day is the one with which the next day begins.
  public var isCounted = false
  /// Up to where looks have seen each polled kind, in the order of the routes.
  public var seenThrough: [Instant] = [.earliest, .earliest, .earliest]
  /// When the user was last seen doing anything today; nil when not.
  public var presentAt: Instant?
  /// Whether a streak may break with the day.
  public var isWarned = false

  /// Nothing needs to be found out of a day.
  public init(_ window: DayWindow, spread: Double, peers: Int) {
    self.window = window
    self.spread = spread
    self.peers = peers
  }

  /// An open day, and the polled kinds that its rules need and of which more must be seen.
  public struct OpenDay: Sendable {
    /// The day.
    public var window: DayWindow
    /// The kinds.
    public var lacking: KindSet

    /// Creates an open day.
    public init(window: DayWindow, lacking: KindSet) {
      self.window = window
      self.lacking = lacking
    }
  }

  /// What is to be found out of the last of `days`, the open ones in order, and what the earlier ones still lack.
  ///
  /// `activities` are those known of open days; `looks` are the routes' histories. Nil without a day.
  public init?(
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
  /// Whether it goes by itself; others ask less of the API, or are an operator's matter.
  public var maySoonPass: Bool {
    switch self {
    case .timedOut, .unreachable, .serverError, .circuitOpen, .retryBudget, .cancelled: true
    default: false
    }
  }
}
