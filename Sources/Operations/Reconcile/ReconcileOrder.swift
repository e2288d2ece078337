public import CivilTime
public import Scheduling

/// What `reconcile` is asked to do.
public struct ReconcileOrder: Sendable {
  /// Close up to this day; nil for every day that has ended.
  public var day: Day?
  /// Only these zones; empty for all.
  public var zones: Set<String>
  /// Judge only these users and close nothing; empty for all.
  public var users: [String]
  /// Judge twice, and tell what the second would append.
  public var proves: Bool
  /// Close even where unusually many streaks would break.
  public var isConfirmed: Bool
  /// Who confirms; nil for the one for whom the process runs.
  public var actor: String?
  /// What is looked at, where a service looks at users all day; nil for everything that is not met.
  public var planner: LookPlanner?
  /// Close only what this ledger has counted for the other shards, and look at nobody.
  public var closesCounted: Bool
  /// Counts of the other shards from before this are too old; nil for the time of the job's fire, or an hour ago.
  public var countedSince: Instant?
  /// Wait, as long as it takes, until the other shards have counted too, and tell this what is waited for, and nil when that is over; nil
  /// for not waiting.
  var whenDelayed: (@Sendable (DeferredClose?) -> Void)?
  /// The job whose run this is, for its record.
  public var run: RunName

  /// Whether it is about a zone.
  func isAbout(_ zone: String) -> Bool { zones.isEmpty || zones.contains(zone) }

  /// The name of a run and when it was due.
  public struct RunName: Sendable {
    /// The job.
    public var job: String
    /// The zone, `*` for all.
    public var zone: String
    /// When it was due; nil for now.
    public var nominal: Instant?
    /// The local time that names it.
    public var nominalLocal: String?
    /// The job's schedule; nil for what none asks for.
    public var schedule: String?

    /// A run.
    public init(
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

  /// An order; by default everything that is due.
  public init(
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
