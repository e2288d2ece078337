public import CivilTime

/// What a ledger holds, counted: what an audit's page shows beside the checks and their findings.
public struct AuditFigures: Sendable {
  /// Where the figures come from.
  public struct Origin: Sendable {
    /// The ledger's id.
    public var ledger: String
    /// The last seal, as `SEQ:HASH`; empty when there is none.
    public var head: String
    /// The version of the time zone database.
    public var tzdata: String
    /// The version of the program that made the figures.
    public var program: String
    /// When they were made.
    public var madeAt: Instant

    /// An origin.
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
    /// Users that the ledger knows.
    public var users = 0
    /// Records, seals included.
    public var records = 0
    /// Grants.
    public var grants = 0
    /// Shop points that users have.
    public var points: Int64 = 0
    /// Exp that users have.
    public var exp: Int64 = 0
    /// Cheer coins that users have.
    public var coins: Int64 = 0

    /// Nothing yet.
    public init() {}
  }

  /// Grants and what they brought.
  public struct Sum: Sendable, Equatable {
    /// How many grants.
    public var grants: Int64 = 0
    /// Their shop points.
    public var points: Int64 = 0
    /// Their exp.
    public var exp: Int64 = 0
    /// Their cheer coins.
    public var coins: Int64 = 0

    /// So many grants with so much.
    public init(grants: Int64 = 0, points: Int64 = 0, exp: Int64 = 0, coins: Int64 = 0) {
      self.grants = grants
      self.points = points
      self.exp = exp
      self.coins = coins
    }
  }

  /// What one user-local day brought.
  public struct DayFigures: Sendable {
    /// The day.
    public var day: Day
    /// The sums of the missions that were rewarded, by name.
    public var missions: [String: Sum]

    /// A day with its sums.
    public init(day: Day, missions: [String: Sum]) {
      self.day = day
      self.missions = missions
    }
  }

  /// A kind of gap in what is known.
  public struct Unknown: Sendable, Hashable {
    /// Why it is unknown.
    public var cause: String
    /// The source or mission of which it is unknown.
    public var subject: String

    /// A kind of gap.
    public init(cause: String, subject: String) {
      self.cause = cause
      self.subject = subject
    }
  }

  /// How punctual a job is.
  public struct Job: Sendable {
    /// Its name.
    public var name: String
    /// Runs that were made.
    public var runs = 0
    /// Runs among them that began late.
    public var late = 0
    /// The median lateness of late runs, nil without any.
    public var medianLateSeconds: Int64?
    /// The worst lateness, nil without late runs.
    public var worstLateSeconds: Int64?
    /// Due runs that were not made.
    public var missed = 0
    /// Runs that failed.
    public var failed = 0
    /// Due runs that were left out on purpose.
    public var skipped = 0

    /// A job of which nothing is counted yet.
    public init(name: String) { self.name = name }
  }

  /// How far a sink has been served.
  public struct Sink: Sendable {
    /// Its name.
    public var name: String
    /// Grants that it has got.
    public var delivered = 0
    /// Grants that wait for it.
    public var waiting = 0
    /// How long the oldest of them has waited, nil when none waits.
    public var oldestWaitingSeconds: Int64?

    /// A sink and how far it was served.
    public init(name: String, delivered: Int, waiting: Int, oldestWaitingSeconds: Int64? = nil) {
      self.name = name
      self.delivered = delivered
      self.waiting = waiting
      self.oldestWaitingSeconds = oldestWaitingSeconds
    }
  }

  /// What users brought along from before the ledger: how many users, with what, by their first day.
  public var openings: [Day: Sum] = [:]
  /// How the users' days went, by zone.
  public var zones: [String: [Day: UserDays]] = [:]
  /// Verdicts that stayed unknown, by day and by the cause of the first gap.
  public var unknownDays: [Day: [String: Int]] = [:]
  /// How many streaks of so many days have ended.
  public var endedStreaks: [Int32: Int] = [:]
  /// What people did by hand.
  public var acts = HandActs()
  /// What was refused, by kind.
  public var refusals: [String: Int] = [:]
  /// How long activities had begun before they were seen, by source.
  public var seenAfter: [String: Delays] = [:]
  /// How long live grants were recorded after they took effect.
  public var grantedAfter = Delays()
  /// How long after their records events were delivered, by sink; nothing of sinks that record no deliveries, as files do.
  public var deliveredAfter: [String: Delays] = [:]
  /// Where the figures come from.
  public var origin: Origin
  /// The whole ledger in a few numbers.
  public var totals = Totals()
  /// The first and the last user-local day of the ledger, nil when it has none.
  public var span: ClosedRange<Day>?
  /// The days that brought something, ascending.
  public var days: [DayFigures] = []
  /// How many users have a current streak of so many days.
  public var streaks: [Int32: Int] = [:]
  /// How often something is unknown.
  public var unknowns: [Unknown: Int] = [:]
  /// The jobs, in the order in which they are to be shown.
  public var jobs: [Job] = []
  /// The sinks, in the order in which they are to be shown.
  public var sinks: [Sink] = []

  /// Figures of this origin, with nothing counted yet.
  public init(origin: Origin) { self.origin = origin }
}

extension AuditFigures.Sum {
  /// Adds `other`; a sum stops at the ends of its range.
  public static func += (left: inout Self, right: Self) {
    left.grants = saturated(left.grants, right.grants)
    left.points = saturated(left.points, right.points)
    left.exp = saturated(left.exp, right.exp)
    left.coins = saturated(left.coins, right.coins)
  }

  /// The sum, stopped at the ends of 64 bits.
  public static func saturated(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}
