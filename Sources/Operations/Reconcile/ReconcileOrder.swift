package import CivilTime
package import Scheduling

/// The parameters of `reconcile`.
package struct ReconcileOrder: Sendable {
  /// The last day to close; nil for every day that has ended.
  package var day: Day?
  /// The zones to reconcile; empty for all.
  package var zones: Set<String>
  /// The users to judge, without closing anything; empty for all.
  package var users: [String]
  /// Whether to judge twice and report what the second run would append.
  package var proves: Bool
  /// Whether to close even where unusually many streaks would break.
  package var isConfirmed: Bool
  /// The person who confirms; nil for the account that the process runs as.
  package var actor: String?
  /// The planner of polls, where a service polls users all day; nil to poll for everything not yet met.
  package var planner: LookPlanner?
  /// Whether to close only what this ledger has counted for the other shards, without polling.
  package var closesCounted: Bool
  /// The time before which counts of other shards are too old; nil for the time of the job's fire, or an hour ago.
  package var countedSince: Instant?
  /// Called with the close that waits for other shards, and with nil when the wait is over. When set, the run waits as
  /// long as it takes for the others to count; nil does not wait.
  var whenDelayed: (@Sendable (DeferredClose?) -> Void)?
  /// The name of this run, for its record.
  package var run: RunName

  /// Whether the order includes a zone.
  func isAbout(_ zone: String) -> Bool { zones.isEmpty || zones.contains(zone) }

  /// The name of a run and when it was due.
  package struct RunName: Sendable {
    /// The job.
    package var job: String
    /// The zone, or `*` for all.
    package var zone: String
    /// When it was due; nil for now.
    package var nominal: Instant?
    /// The local time that names the fire.
    package var nominalLocal: String?
    /// The job's schedule; nil for a run outside any schedule.
    package var schedule: String?

    /// Creates the name of a run.
    package init(
      job: String, zone: String, nominal: Instant? = nil, nominalLocal: String? = nil,
      schedule: String? = nil
    ) {
      self.job = job
      self.zone = zone
      self.nominal = nominal
      self.nominalLocal = nominalLocal
      self.schedule = schedule
    }
  }

  /// Creates an order, by default for everything that is due.
  package init(
    day: Day? = nil, zones: Set<String> = [], users: [String] = [], proves: Bool = false,
    isConfirmed: Bool = false, closesCounted: Bool = false,
    countedSince: Instant? = nil, actor: String? = nil,
    run: RunName = RunName(job: "reconcile", zone: "*")
  ) {
    self.day = day
    self.zones = zones
    self.users = users
    self.proves = proves
    self.isConfirmed = isConfirmed
    self.closesCounted = closesCounted
    self.countedSince = countedSince
    self.actor = actor
    self.run = run
  }
}
