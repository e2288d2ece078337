import CivilTime
import Scheduling

/// The recurring work of a service besides polls and jobs.
struct ServicePlan: Sendable {
  /// Whether the rules are in the ledger.
  var hasBegun = false
  /// Whether the roster has been read since it was last requested.
  var hasRoster = false
  private let inboxEverySeconds: Int64
  /// When the inbox is read next.
  private(set) var nextInbox = Instant.earliest
  private var nextHousekeeping: Instant?
  /// When the boot clock began, according to the last reading of the clock.
  private var begin: Instant

  /// The step, in seconds, up to which a change of the clock is only its discipline.
  private static let toleratedStepSeconds: Int64 = 2

  /// Creates the plan of a service that starts with `clock`, trusted or not.
  init(inboxEverySeconds: Int64, _ clock: any ServiceClock) {
    self.inboxEverySeconds = inboxEverySeconds
    begin = Self.bootBegin(of: clock)
  }

  /// Returns when the boot clock began, according to the present reading: always the same unless the clock is set.
  /// Without a boot clock, returns the present.
  private static func bootBegin(of clock: any ServiceClock) -> Instant {
    clock.now().adding(nanoseconds: -(clock.sinceBoot() ?? 0))
  }

  /// Returns whether the inbox is due, and if so plans its next reading.
  mutating func isInboxDue(_ now: Instant) -> Bool {
    guard nextInbox <= now else { return false }
    nextInbox = now.adding(seconds: inboxEverySeconds)
    return true
  }

  /// Makes the inbox due at the next turn.
  mutating func readInboxSoon() { nextInbox = .earliest }

  /// Returns whether housekeeping is due, which it is not right after the start.
  mutating func isHousekeepingDue(_ now: Instant) -> Bool {
    let due = nextHousekeeping ?? now.adding(seconds: Service.housekeepingEverySeconds)
    nextHousekeeping = due <= now ? now.adding(seconds: Service.housekeepingEverySeconds) : due
    return due <= now
  }

  /// Returns by how many seconds the clock was set forwards, or back when negative, since the last call.
  mutating func step(of clock: any ServiceClock) -> Int64 {
    let before = begin
    begin = Self.bootBegin(of: clock)
    let seconds = begin.seconds(since: before)
    return abs(seconds) > Self.toleratedStepSeconds ? seconds : 0
  }

  /// Plans everything anew from the present.
  mutating func forgetPlans() {
    nextInbox = .earliest
    nextHousekeeping = nil
  }
}
