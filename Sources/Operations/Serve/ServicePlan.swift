import CivilTime
import Scheduling

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
  /// When the boot clock began, by the clock as it was last seen.
  private var begin: Instant

  /// A step of the clock by less than this is only its discipline, in seconds.
  private static let toleratedStepSeconds: Int64 = 2

  /// A plan of a service that starts by `clock`, trusted or not.
  init(inboxEverySeconds: Int64, _ clock: any ServiceClock) {
    self.inboxEverySeconds = inboxEverySeconds
    begin = Self.bootBegin(of: clock)
  }

  /// When the boot clock began, by what the clock shows now: the same for ever, unless somebody sets the clock. Where there is no boot
  /// clock, the present.
  private static func bootBegin(of clock: any ServiceClock) -> Instant {
    clock.now().adding(nanoseconds: -(clock.sinceBoot() ?? 0))
  }

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

  /// By how many seconds the clock was set forwards, or below 0 back, since it was last asked so.
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
