import CivilTime

/// What comes round again in a service, besides looks and jobs.
struct ServicePlan: Sendable {
  /// Whether the rules are in the ledger.
  var hasBegun = false
  /// Whether the roster has been read since it was last asked for.
  var hasRoster = false
  private let inboxEverySeconds: Int64
  /// When the inbox is read next.
  private(set) var nextInbox = Instant.earliest
  private var nextHousekeeping: Instant?
  /// When the clock was last found right.
  private var lastSeen = Instant.earliest

  /// A step of the clock backwards by less than this is only its discipline, in seconds.
  private static let toleratedStepSeconds: Int64 = 2

  init(inboxEverySeconds: Int64) { self.inboxEverySeconds = inboxEverySeconds }

  /// Whether the inbox is to be read now; the next reading is then planned.
  mutating func isInboxDue(_ now: Instant) -> Bool {
    guard nextInbox <= now else { return false }
    nextInbox = now.adding(seconds: inboxEverySeconds)
    return true
  }

  /// Lets the inbox be read at the next turn.
  mutating func readInboxSoon() { nextInbox = .earliest }

  /// Whether the house is to be kept now; not at once after the start.
  mutating func isHousekeepingDue(_ now: Instant) -> Bool {
    let due = nextHousekeeping ?? now.adding(seconds: Service.housekeepingEverySeconds)
    nextHousekeeping = due <= now ? now.adding(seconds: Service.housekeepingEverySeconds) : due
    return due <= now
  }

  /// Begins a turn at an instant at which the clock is right; by how many seconds that stands before the last one, nil when it does not.
  mutating func turn(at now: Instant) -> Int64? {
    defer { lastSeen = now }
    let isBefore = now.adding(seconds: Self.toleratedStepSeconds) < lastSeen
    return isBefore ? lastSeen.seconds(since: now) : nil
  }

  /// Plans everything anew from the present.
  mutating func forgetPlans() {
    nextInbox = .earliest
    nextHousekeeping = nil
  }
}
