public import CivilTime

/// The users by their next look, within what the rate carries: calls around midnight keep their time, other looks give way.
///
/// A look that may wait gets the first free place up to its latest instant, in the order in which looks are planned, and each
/// user has one at a time: all come in turn. Where the rate is short, delay grows, and calls stay in time.
public struct LookAgenda: Sendable {
  /// A user's next look.
  public struct Entry: Sendable {
    /// The index of the user's account.
    public let user: Int
    /// When it is due, and up to when it may wait.
    public let look: LookPlanner.PlannedLook

    /// Creates a look that is planned for a user.
    public init(user: Int, look: LookPlanner.PlannedLook) {
      self.user = user
      self.look = look
    }
  }

  private var queue = LookQueue()
  /// Looks planned for each stretch of time, from the one that begins now.
  private var planned: [UInt32]
  private var beginning = 0
  private let looksAStretch: UInt32
  private let mostUnderWay: Int
  private var underWay = 0

  private static let stretchSeconds: Int64 = 10
  /// A day and some hours: no look is planned further ahead but for what has no day yet.
  private static let stretches = 9_720
  /// What of the rate may be promised to looks that can wait: the rest is for calls that are not planned yet.
  private static let share = 0.8

  /// Nobody is planned; `usersPerSecond` can be looked at, `mostUnderWay` at a time: all others keep their places until then.
  public init(usersPerSecond: Double, mostUnderWay: Int) {
    self.mostUnderWay = mostUnderWay
    let looks = usersPerSecond * Double(Self.stretchSeconds) * Self.share
    looksAStretch = UInt32(min(max(looks, 1), 1e9))
    planned = Array(repeating: 0, count: Self.stretches)
  }

  /// How many looks are planned.
  public var count: Int { queue.count }

  /// The instant of the earliest look; nil when none is planned, or none may begin before another has ended.
  public var earliest: Instant? { underWay < mostUnderWay ? queue.earliest : nil }

  /// Plans a look; does nothing when one at the user is planned already.
  public mutating func plan(_ entry: Entry, after now: Instant) {
    if queue.holds(entry.user) { return }
    advance(to: now)
    var due = entry.look.due
    while due < entry.look.latest, let place = place(of: due), planned[place] >= looksAStretch {
      due = min(
        Instant(seconds: (due.seconds / Self.stretchSeconds + 1) * Self.stretchSeconds),
        entry.look.latest)
    }
    if let place = place(of: due) { planned[place] += 1 }
    queue.plan(entry.user, at: due)
  }

  /// Takes the users out whose look is due at `now`, the earliest first, as many as may be under way. Each look must be told to
  /// have ended.
  public mutating func takeDue(at now: Instant) -> [Int] {
    let users = queue.takeDue(at: now, limit: mostUnderWay - underWay)
    underWay += users.count
    return users
  }

  /// Notes that a look has ended.
  public mutating func noteEnd() { underWay -= 1 }

  /// Forgets what is planned; what is under way goes on.
  public mutating func removeAll() {
    queue = LookQueue()
    for place in planned.indices { planned[place] = 0 }
    beginning = 0
  }

  private func place(of due: Instant) -> Int? {
    let stretch = Int(due.seconds / Self.stretchSeconds)
    guard stretch >= beginning, stretch < beginning + Self.stretches else { return nil }
    return stretch % Self.stretches
  }

  /// Clears what has passed.
  private mutating func advance(to now: Instant) {
    let stretch = max(0, Int(now.seconds / Self.stretchSeconds))
    guard stretch > beginning else { return }
    for passed in beginning..<min(stretch, beginning + Self.stretches) {
      planned[passed % Self.stretches] = 0
    }
    beginning = stretch
  }
}
