package import CivilTime

/// The users' next polls, within the rate: calls around midnight keep their times, and other polls give way.
///
/// A poll that can wait gets the first free slot up to its latest instant, in planning order, and each user has only
/// one poll at a time, so everyone gets a turn. If the rate is too low, delays grow but calls stay on time.
package struct LookAgenda: Sendable {
  /// A user's next poll.
  package struct Entry: Sendable {
    /// The index of the user's account.
    package let user: Int
    /// When it is due, and until when it may wait.
    package let look: LookPlanner.PlannedLook

    package init(user: Int, look: LookPlanner.PlannedLook) {
      self.user = user
      self.look = look
    }
  }

  private var queue = LookQueue()
  /// The number of polls planned in each stretch of time, starting with the current one.
  private var planned: [UInt32]
  private var beginning = 0
  private let looksAStretch: UInt32
  private let mostUnderWay: Int
  private var underWay = 0

  private static let stretchSeconds: Int64 = 10
  /// A day and some hours: only a poll for a user without a running day is planned further ahead.
  private static let stretches = 9_720
  /// The share of the rate promised to polls that can wait. The rest is for calls not yet planned.
  private static let share = 0.8

  /// Creates an empty agenda for `usersPerSecond`, with at most `mostUnderWay` polls at a time. Until one ends, all
  /// others keep their places.
  package init(usersPerSecond: Double, mostUnderWay: Int) {
    self.mostUnderWay = mostUnderWay
    let looks = usersPerSecond * Double(Self.stretchSeconds) * Self.share
    looksAStretch = UInt32(min(max(looks, 1), 1e9))
    planned = Array(repeating: 0, count: Self.stretches)
  }

  /// The number of polls planned.
  package var count: Int { queue.count }

  /// The instant of the earliest poll; nil if none is planned, or none may begin until another ends.
  package var earliest: Instant? { underWay < mostUnderWay ? queue.earliest : nil }

  /// The instant of the latest poll; nil if none is planned. Reads all of them.
  package var latest: Instant? { queue.latest }

  /// The indices of the accounts with a planned poll, in no order.
  package var users: [Int] { queue.users }

  /// Plans a poll, unless one of the user is already planned.
  package mutating func plan(_ entry: Entry, after now: Instant) {
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

  /// Removes and returns the users whose polls are due at `now`, earliest first, as many as may be under way. Call
  /// ``finishLook()`` when each poll ends.
  package mutating func dequeueDue(at now: Instant) -> [Int] {
    let users = queue.dequeueDue(at: now, limit: mostUnderWay - underWay)
    underWay += users.count
    return users
  }

  /// Records that a poll has ended.
  package mutating func finishLook() { underWay -= 1 }

  /// Drops all planned polls. Polls under way continue.
  package mutating func removeAll() {
    queue = LookQueue()
    for place in planned.indices { planned[place] = 0 }
    beginning = 0
  }

  private func place(of due: Instant) -> Int? {
    let stretch = Int(due.seconds / Self.stretchSeconds)
    guard stretch >= beginning, stretch < beginning + Self.stretches else { return nil }
    return stretch % Self.stretches
  }

  /// Clears the stretches that have passed.
  private mutating func advance(to now: Instant) {
    let stretch = max(0, Int(now.seconds / Self.stretchSeconds))
    guard stretch > beginning else { return }
    for passed in beginning..<min(stretch, beginning + Self.stretches) {
      planned[passed % Self.stretches] = 0
    }
    beginning = stretch
  }
}
