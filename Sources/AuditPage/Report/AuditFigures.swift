public import CivilTime

/// A ledger's content in figures, which an audit's page shows beside the checks and their findings.
public struct AuditFigures: Sendable {
  /// The origin of the figures.
  public struct Origin: Sendable {
    /// The ledger's id.
    public var ledger: String
    /// The last seal as `SEQ:HASH`; empty if there is none.
    public var head: String
    /// The version of the time zone database.
    public var tzdata: String
    /// The version of the program that computed the figures.
    public var program: String
    /// When they were computed.
    public var madeAt: Instant

    /// Creates an origin.
    public init(ledger: String, head: String, tzdata: String, program: String, madeAt: Instant) {
      self.ledger = ledger
      self.head = head
      self.tzdata = tzdata
      self.program = program
      self.madeAt = madeAt
    }
  }

  /// The whole ledger in a few numbers.
  public struct Totals: Sendable {
    /// The users in the ledger.
    public var users = 0
    /// Records, seals included.
    public var records = 0
    /// Grants.
    public var grants = 0
    /// The users' shop points.
    public var points: Int64 = 0
    /// The users' exp.
    public var exp: Int64 = 0
    /// The users' cheer coins.
    public var coins: Int64 = 0

    /// Creates zero totals.
    public init() {}
  }

  /// A number of grants and what they gave.
  public struct Sum: Sendable, Equatable {
    /// The number of grants.
    public var grants: Int64 = 0
    /// Their shop points.
    public var points: Int64 = 0
    /// Their exp.
    public var exp: Int64 = 0
    /// Their cheer coins.
    public var coins: Int64 = 0

    /// Creates a sum.
    public init(grants: Int64 = 0, points: Int64 = 0, exp: Int64 = 0, coins: Int64 = 0) {
      self.grants = grants
      self.points = points
      self.exp = exp
      self.coins = coins
    }
  }

  /// What one user-local day gave.
  public struct DayFigures: Sendable {
    /// The day.
    public var day: Day
    /// The sums of the rewarded missions, by name.
    public var missions: [String: Sum]

    /// Creates a day with its sums.
    public init(day: Day, missions: [String: Sum]) {
      self.day = day
      self.missions = missions
    }
  }

  /// A kind of gap in what is known.
  public struct Unknown: Sendable, Hashable {
    /// Why it is unknown.
    public var cause: String
    /// The source or mission concerned.
    public var subject: String

    /// Creates a kind of gap.
    public init(cause: String, subject: String) {
      self.cause = cause
      self.subject = subject
    }
  }

  /// The punctuality of a job.
  public struct Job: Sendable {
    /// Its name.
    public var name: String
    /// The number of runs.
    public var runs = 0
    /// The number of runs that began late.
    public var late = 0
    /// The median lateness of late runs; nil without any.
    public var medianLateSeconds: Int64?
    /// The worst lateness; nil without late runs.
    public var worstLateSeconds: Int64?
    /// The number of due runs that did not happen.
    public var missed = 0
    /// The number of failed runs.
    public var failed = 0
    /// The number of due runs that were skipped on purpose.
    public var skipped = 0

    /// Creates a job with nothing counted yet.
    public init(name: String) { self.name = name }
  }

  /// The progress of deliveries to a sink.
  public struct Sink: Sendable {
    /// Its name.
    public var name: String
    /// Grants that it has received.
    public var delivered = 0
    /// Grants that are waiting for it.
    public var waiting = 0
    /// How long the oldest of them has been waiting; nil if none is.
    public var oldestWaitingSeconds: Int64?

    /// Creates a sink's figures.
    public init(name: String, delivered: Int, waiting: Int, oldestWaitingSeconds: Int64? = nil) {
      self.name = name
      self.delivered = delivered
      self.waiting = waiting
      self.oldestWaitingSeconds = oldestWaitingSeconds
    }
  }

  /// What users had before the ledger: how many users and how much, by their first day.
  public var openings: [Day: Sum] = [:]
  /// The course of the users' days, by zone.
  public var zones: [String: [Day: UserDays]] = [:]
  /// Verdicts that remained unknown, by day and by the cause of the first gap.
  public var unknownDays: [Day: [String: Int]] = [:]
  /// How many streaks have ended, by length in days.
  public var endedStreaks: [Int32: Int] = [:]
  /// The acts by hand.
  public var acts = ManualActs()
  /// Refusals, by kind.
  public var refusals: [String: Int] = [:]
  /// The delays from an activity's beginning to its observation, by source.
  public var seenAfter: [String: Delays] = [:]
  /// The delays from a live grant's effect to its record.
  public var grantedAfter = Delays()
  /// The delays from a record to its event's delivery, by sink; empty for sinks that record no deliveries, such as files.
  public var deliveredAfter: [String: Delays] = [:]
  /// The origin of the figures.
  public var origin: Origin
  /// The whole ledger in a few numbers.
  public var totals = Totals()
  /// The first and last user-local days of the ledger; nil if it has none.
  public var span: ClosedRange<Day>?
  /// The days that gave something, ascending.
  public var days: [DayFigures] = []
  /// How many users have a current streak, by length in days.
  public var streaks: [Int32: Int] = [:]
  /// How often each kind of gap occurred.
  public var unknowns: [Unknown: Int] = [:]
  /// The jobs in display order.
  public var jobs: [Job] = []
  /// The sinks in display order.
  public var sinks: [Sink] = []

  /// Creates figures with nothing counted yet.
  public init(origin: Origin) { self.origin = origin }
}

extension AuditFigures.Sum {
  /// Adds `other`; sums saturate.
  public static func += (left: inout Self, right: Self) {
    left.grants = saturated(left.grants, right.grants)
    left.points = saturated(left.points, right.points)
    left.exp = saturated(left.exp, right.exp)
    left.coins = saturated(left.coins, right.coins)
  }

  /// Returns the 64-bit sum, saturated.
  public static func saturated(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}
