import CivilTime
import Scheduling

/// What a service has planned: looks, and what comes round again.
struct ServicePlan: Sendable {
  var queue = LookQueue()
  /// Whether rules and roster are in the ledger.
  var hasBegun = false
  /// Accounts up to this index have a place in the queue, or had one.
  var plannedUsers = 0
  private let inboxEverySeconds: Int64
  private var nextInbox = Instant.earliest
  private var nextHousekeeping: Instant?
  /// When the clock was last found right.
  private(set) var lastSeen = Instant.earliest

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

  /// Whether the clock stands before an instant at which it was found right.
  func isBack(_ now: Instant) -> Bool {
    now.adding(seconds: Self.toleratedStepSeconds) < lastSeen
  }

  /// Notes that the clock was found right, also when it was set back.
  mutating func noteRight(_ now: Instant) { lastSeen = now }

  /// Plans everything anew from the present.
  mutating func forgetPlans() {
    queue = LookQueue()
    plannedUsers = 0
    nextInbox = .earliest
    nextHousekeeping = nil
  }

  /// The next instant at which something planned is due.
  var next: Instant { min(queue.earliest ?? nextInbox, nextInbox) }
}
