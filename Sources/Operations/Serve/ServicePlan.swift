import CivilTime
import Scheduling

/// What a service has planned: looks, and what comes round again.
struct ServicePlan: Sendable {
  var queue = LookQueue()
  /// Accounts up to this index have a place in the queue, or had one.
  var plannedUsers = 0
  private let inboxEverySeconds: Int64
  private var nextInbox = Instant.earliest
  private var nextHousekeeping: Instant?
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

  /// Whether the house is to be kept now; not at once after the start.
  mutating func isHousekeepingDue(_ now: Instant) -> Bool {
    let due = nextHousekeeping ?? now.adding(seconds: Service.housekeepingEverySeconds)
    nextHousekeeping = due <= now ? now.adding(seconds: Service.housekeepingEverySeconds) : due
    return due <= now
  }

  /// Whether the clock has been set back since the last time this was asked.
  mutating func noticeStepBack(_ now: Instant) -> Bool {
    let isBack = now.adding(seconds: Self.toleratedStepSeconds) < lastSeen
    lastSeen = isBack ? now : max(lastSeen, now)
    return isBack
  }

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
