public import CivilTime

/// What the polls of one route for one user have proved about days not yet closed.
///
/// A value. `observe` applies a poll and returns what it showed; apart from that, only forgetting changes it.
public struct RouteHistory: Hashable, Sendable {
  /// A poll that failed.
  public struct Failure: Hashable, Sendable {
    /// When it was made.
    public let at: Instant
    /// Why it failed.
    public let cause: FailureCause

    /// Creates a failure.
    public init(at: Instant, cause: FailureCause) {
      self.at = at
      self.cause = cause
    }
  }

  /// How many failures to keep, to name the causes of gaps.
  static let failureLimit = 4

  /// The instants in which nothing unknown happened.
  public var coverage = Coverage()
  /// The newest activity the route has shown.
  public var latest: Activity?
  /// Fingerprints of closed days' activities that the route listed last and that have been weighed. They need no second
  /// weighing when listed again.
  public var decided: [UInt32] = []
  /// When the newest answered poll was made, since the process started.
  public internal(set) var newestLook = Instant.earliest
  /// How many polls have been answered.
  public var looks: Int32 = 0
  // Holds at most one. An empty list takes the least memory, and few histories have any of it.
  private var rare: [RareParts] = []

  private struct RareParts: Hashable, Sendable {
    var failures: [Failure] = []
    var reading: CountReading?

    var isEmpty: Bool { failures.isEmpty && reading == nil }
  }

  private var rareParts: RareParts {
    get { rare.first ?? RareParts() }
    set { rare = newValue.isEmpty ? [] : [newValue] }
  }

  /// The newest failures, oldest first; at most four.
  public var failures: [Failure] {
    get { rareParts.failures }
    set { rareParts.failures = newValue }
  }

  /// The last count believed, for a route that reports only that.
  public var reading: CountReading? {
    get { rareParts.reading }
    set { rareParts.reading = newValue }
  }

  /// Creates a history without polls.
  public init() {}

  /// Drops what lies before `boundary`, the start of the first open day.
  public mutating func forget(before boundary: Instant) {
    coverage.drop(before: boundary)
    forgetFailures { $0.at < boundary }
  }

  /// Applies an activity that the ledger says the route has shown, even if the poll that showed it is lost. Later
  /// answers are compared with it.
  public mutating func recall(_ told: Activity) {
    guard let latest else {
      self.latest = told
      return
    }
    let hasEnded = !told.isOpen && (latest.isOpen || told.to > latest.to)
    if told.from > latest.from || (told.from == latest.from && hasEnded) { self.latest = told }
  }

  /// Voids everything learnt after `now`, because the clock has stepped back. A poll stamped later proves nothing
  /// about any time, since nobody knows when it was made.
  public mutating func void(after now: Instant) {
    coverage.drop(beyond: now)
    forgetFailures { $0.at > now }
    newestLook = min(newestLook, now)
    if let reading, reading.from > now { self.reading = nil }
    if let latest, latest.from > now {
      self.latest = nil
      decided = []
    }
  }

  /// Usually there are none of these, and then nothing is copied.
  private mutating func forgetFailures(where isOver: (Failure) -> Bool) {
    if failures.contains(where: isOver) { failures.removeAll(where: isOver) }
  }

  /// Returns the parts of a window in which an activity of the route's `kind` may have happened unseen.
  public func gaps(in window: DayWindow, of kind: ActivityKind) -> [Gap] {
    if coverage.covers(from: window.start, to: window.end) { return [] }
    return coverage.gaps(from: window.start, to: window.end).map { gap in
      Gap(kind: kind, from: gap.from, to: gap.to, cause: cause(from: gap.from, to: gap.to))
    }
  }

  /// Returns the cause of a gap: the last failure within it, or ``Gap/notPolled``.
  private func cause(from: Instant, to: Instant) -> String {
    failures.last { $0.at >= from && $0.at <= to }?.cause.rawValue ?? Gap.notPolled
  }
}

/// One user's route histories, kept for days not yet closed.
public struct LookHistories: Hashable, Sendable {
  private var lastStream = RouteHistory()
  private var watchedStreams = RouteHistory()
  private var lastGift = RouteHistory()
  // Those of further routes. Usually there are none, because such routes are off for most users.
  private var others: [Other] = []

  private struct Other: Hashable, Sendable {
    let route: Source
    let history: RouteHistory
  }

  /// Creates histories without polls.
  public init() {}

  /// The history of a route; the inbox has none.
  public subscript(route: Source) -> RouteHistory {
    get {
      switch route {
      case .lastStream: lastStream
      case .watchedStreams: watchedStreams
      case .lastGift: lastGift
      default: others.first { $0.route == route }?.history ?? RouteHistory()
      }
    }
    set {
      switch route {
      case .lastStream: lastStream = newValue
      case .watchedStreams: watchedStreams = newValue
      case .lastGift: lastGift = newValue
      case .inbox: break
      default:
        others.removeAll { $0.route == route }
        if newValue != RouteHistory() { others.append(Other(route: route, history: newValue)) }
      }
    }
  }
}
