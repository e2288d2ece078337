public import CivilTime

/// What the looks at one route for one user have proved about days that are not closed yet.
///
/// A value: `observe` takes a look in and tells what was seen; nothing else changes it but forgetting.
public struct RouteHistory: Hashable, Sendable {
  /// A look that could not see.
  public struct Failure: Hashable, Sendable {
    /// When it was made.
    public let at: Instant
    /// Why it failed.
    public let cause: FailureCause

    /// A failure.
    public init(at: Instant, cause: FailureCause) {
      self.at = at
      self.cause = cause
    }
  }

  /// How many failures are kept to name the causes of gaps.
  static let failureLimit = 4

  /// Where nothing happened but what is known.
  public var coverage = Coverage()
  /// The newest activity that the route has told.
  public var latest: Activity?
  /// Marks of the closed days' activities that the route listed last and that are weighed: told again, they need no second
  /// thought.
  public var decided: [UInt32] = []
  /// When the newest look that was answered was made, since the start of the process.
  public internal(set) var newestLook = Instant.earliest
  /// How many looks have been answered.
  public var looks: Int32 = 0
  // At most one: an empty list takes the least memory, and few histories have any of it.
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

  /// The newest failures, oldest first, at most four.
  public var failures: [Failure] {
    get { rareParts.failures }
    set { rareParts.failures = newValue }
  }

  /// The last number that was believed, of a route that tells only that.
  public var reading: CountReading? {
    get { rareParts.reading }
    set { rareParts.reading = newValue }
  }

  /// No look was made yet.
  public init() {}

  /// Forgets what lies before `boundary`, the start of the first day that is not closed.
  public mutating func forget(before boundary: Instant) {
    coverage.drop(before: boundary)
    forgetFailures { $0.at < boundary }
  }

  /// Takes in an activity that the ledger says the route has told, though the look that showed it may be lost: later answers
  /// are held against it.
  public mutating func recall(_ told: Activity) {
    guard let latest else {
      self.latest = told
      return
    }
    let hasEnded = !told.isOpen && (latest.isOpen || told.to > latest.to)
    if told.from > latest.from || (told.from == latest.from && hasEnded) { self.latest = told }
  }

  /// Voids all that was learnt after `now`: the clock has stepped backwards. A look stamped later proves nothing of any time: when
  /// it was made, nobody knows.
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

  /// Most often there are none of these, and nothing must be copied.
  private mutating func forgetFailures(where isOver: (Failure) -> Bool) {
    if failures.contains(where: isOver) { failures.removeAll(where: isOver) }
  }

  /// The times of a window in which a kind that the route tells may have happened unseen.
  public func gaps(in window: DayWindow, of kind: ActivityKind) -> [Gap] {
    if coverage.covers(from: window.start, to: window.end) { return [] }
    return coverage.gaps(from: window.start, to: window.end).map { gap in
      Gap(kind: kind, from: gap.from, to: gap.to, cause: cause(from: gap.from, to: gap.to))
    }
  }

  /// The cause of a gap: the last failure within it, or that nobody looked.
  private func cause(from: Instant, to: Instant) -> String {
    failures.last { $0.at >= from && $0.at <= to }?.cause.rawValue ?? "not looked"
  }
}

/// The routes' histories of one user, as they are kept for days that are not closed yet.
public struct LookHistories: Hashable, Sendable {
  private var lastStream = RouteHistory()
  private var watchedStreams = RouteHistory()
  private var lastGift = RouteHistory()
  // At most one: the route is off for most.
  private var follows: [RouteHistory] = []

  /// No look was made yet.
  public init() {}

  /// The history of a route; the inbox has none.
  public subscript(route: Source) -> RouteHistory {
    get {
      switch route {
      case .lastStream: lastStream
      case .watchedStreams: watchedStreams
      case .lastGift: lastGift
      case .follows: follows.first ?? RouteHistory()
      case .inbox: RouteHistory()
      }
    }
    set {
      switch route {
      case .lastStream: lastStream = newValue
      case .watchedStreams: watchedStreams = newValue
      case .lastGift: lastGift = newValue
      case .follows: follows = newValue == RouteHistory() ? [] : [newValue]
      case .inbox: break
      }
    }
  }
}
