package import CivilTime
package import RewardRules

/// A ledger's content in figures, which an audit's page shows beside the checks and their findings.
package struct AuditFigures: Sendable {
  /// The origin of the figures.
  package struct Origin: Sendable {
    /// The ledger's id.
    package var ledger: String
    /// The last seal as `SEQ:HASH`; empty if there is none.
    package var head: String
    /// The version of the time zone database.
    package var tzdata: String
    /// The version of the program that computed the figures.
    package var program: String
    /// When they were computed.
    package var madeAt: Instant

    package init(ledger: String, head: String, tzdata: String, program: String, madeAt: Instant) {
      self.ledger = ledger
      self.head = head
      self.tzdata = tzdata
      self.program = program
      self.madeAt = madeAt
    }
  }

  /// The whole ledger in a few numbers.
  package struct Totals: Sendable {
    /// The users in the ledger.
    package var users = 0
    /// Records, seals included.
    package var records = 0
    /// Grants.
    package var grants = 0
    /// What users have of each unit; of exp, what they were ever given.
    package var amounts = Amounts()

    /// Creates zero totals.
    package init() {}
  }

  /// A number of grants and what they gave.
  package struct Sum: Sendable, Equatable {
    /// The number of grants.
    package var grants: Int64 = 0
    /// What they gave.
    package var amounts: Amounts

    package init(grants: Int64 = 0, _ amounts: Amounts = Amounts()) {
      self.grants = grants
      self.amounts = amounts
    }

    /// Adds `other`; sums saturate.
    package static func += (left: inout Sum, right: Sum) {
      left.grants = left.grants.addingSaturated(right.grants)
      left.amounts += right.amounts
    }
  }

  /// What one user-local day gave.
  package struct DayFigures: Sendable {
    /// The day.
    package var day: Day
    /// The sums of the rewarded missions, by name.
    package var missions: [String: Sum]

    /// Creates a day with its sums.
    package init(day: Day, missions: [String: Sum]) {
      self.day = day
      self.missions = missions
    }
  }

  /// A kind of gap in what is known.
  package struct Unknown: Sendable, Hashable {
    /// Why it is unknown.
    package var cause: String
    /// The source or mission concerned.
    package var subject: String

    /// Creates a kind of gap.
    package init(cause: String, subject: String) {
      self.cause = cause
      self.subject = subject
    }
  }

  /// The punctuality of a job.
  package struct Job: Sendable {
    /// Its name.
    package var name: String
    /// The number of runs.
    package var runs = 0
    /// The number of runs that began late.
    package var late = 0
    /// The median lateness of late runs; nil without any.
    package var medianLateSeconds: Int64?
    /// The worst lateness; nil without late runs.
    package var worstLateSeconds: Int64?
    /// The number of due runs that did not happen.
    package var missed = 0
    /// The number of failed runs.
    package var failed = 0
    /// The number of due runs that were skipped on purpose.
    package var skipped = 0

    /// Creates a job with nothing counted yet.
    package init(name: String) { self.name = name }
  }

  /// The progress of deliveries to a sink.
  package struct Sink: Sendable {
    /// Its name.
    package var name: String
    /// Grants that it has received.
    package var delivered = 0
    /// Grants that are waiting for it.
    package var waiting = 0
    /// How long the oldest of them has been waiting; nil if none is.
    package var oldestWaitingSeconds: Int64?

    /// Creates a sink's figures.
    package init(name: String, delivered: Int, waiting: Int, oldestWaitingSeconds: Int64? = nil) {
      self.name = name
      self.delivered = delivered
      self.waiting = waiting
      self.oldestWaitingSeconds = oldestWaitingSeconds
    }
  }

  /// How one of the app's stores compared with the ledger at an instant.
  package struct StoreDrift: Sendable, Equatable {
    /// The sink that writes to the store.
    package let sink: String
    /// When it was read.
    package let at: Instant
    /// The number of users.
    package let users: Int
    /// The states that a document may be in, in display order.
    package let states: [String]
    /// The number of users in each of them.
    package let counts: [Int]
    /// The points that the documents have beyond the ledger's, in all; negative if they have fewer.
    package let points: Int64

    /// Creates the figures of a store.
    package init(
      sink: String, at: Instant, users: Int, states: [String], counts: [Int], points: Int64
    ) {
      self.sink = sink
      self.at = at
      self.users = users
      self.states = states
      self.counts = counts
      self.points = points
    }
  }

  /// What came from elsewhere, less what was spent there: opening balances by the user's first day, credits by their own.
  package var elsewhere: [Day: Sum] = [:]
  /// The course of the users' days, by zone.
  package var zones: [String: [Day: UserDays]] = [:]
  /// Verdicts that remained unknown, by day and by the cause of the first gap.
  package var unknownDays: [Day: [String: Int]] = [:]
  /// How many streaks have ended, by length in days.
  package var endedStreaks: [Int32: Int] = [:]
  /// The acts by hand.
  package var acts = ManualActs()
  /// Refusals, by kind.
  package var refusals: [String: Int] = [:]
  /// The delays from an activity's beginning to its observation, by source.
  package var seenAfter: [String: Delays] = [:]
  /// The delays from a live grant's effect to its record.
  package var grantedAfter = Delays()
  /// The delays from a record to its event's delivery, by sink; empty for sinks that record no deliveries, such as files.
  package var deliveredAfter: [String: Delays] = [:]
  /// The origin of the figures.
  package var origin: Origin
  /// The whole ledger in a few numbers.
  package var totals = Totals()
  /// The first and last user-local days of the ledger; nil if it has none.
  package var span: ClosedRange<Day>?
  /// The days that gave something, ascending.
  package var days: [DayFigures] = []
  /// What the rules call their missions, by name.
  package var titles: [String: String] = [:]
  /// How many users have a current streak, by length in days.
  package var streaks: [Int32: Int] = [:]
  /// How often each kind of gap occurred.
  package var unknowns: [Unknown: Int] = [:]
  /// The jobs in display order.
  package var jobs: [Job] = []
  /// The sinks in display order.
  package var sinks: [Sink] = []
  /// How the app's stores have compared with the ledger, oldest first.
  package var stores: [StoreDrift] = []

  /// Creates figures with nothing counted yet.
  package init(origin: Origin) { self.origin = origin }
}
