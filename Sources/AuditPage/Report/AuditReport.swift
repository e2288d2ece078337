public import CivilTime

/// The result of an audit, check by check.
public struct AuditReport: Sendable {
  /// A fault that an audit found.
  public struct Finding: Sendable, Equatable {
    /// What is wrong.
    public let text: String
    /// The ledger line concerned, if any.
    public var seq: UInt64?
    /// The key of the grant concerned, if any.
    public var key: String?
    /// The user concerned, if any.
    public var user: String?
    /// The user-local day concerned, if any.
    public var day: Day?

    /// Creates a finding; leave out what it does not concern.
    public init(
      _ text: String, seq: UInt64? = nil, key: String? = nil, user: String? = nil, day: Day? = nil
    ) {
      self.text = text
      self.seq = seq
      self.key = key
      self.user = user
      self.day = day
    }
  }

  /// One check and its findings.
  public struct Check: Sendable {
    /// The check's number.
    public let id: Int
    /// The subject of the check.
    public let name: String
    /// The number of things examined.
    public let examined: Int
    /// The total number of findings.
    public let found: Int
    /// The first of the findings.
    public let findings: [Finding]
    /// Why the check could not run; nil if it ran.
    public let leftOut: String?
    /// Additional information that is not a finding.
    public var note: String?
    /// Whether it ran and found nothing.
    public var passed: Bool { found == 0 && leftOut == nil }

    /// Creates a check that ran; `findings` are the first of the `found` ones.
    public init(_ id: Int, _ name: String, examined: Int, found: Int, findings: [Finding]) {
      self.id = id
      self.name = name
      self.examined = examined
      self.found = found
      self.findings = findings
      leftOut = nil
    }

    /// Creates a check that could not run.
    public init(_ id: Int, _ name: String, leftOut: String) {
      self.id = id
      self.name = name
      self.leftOut = leftOut
      examined = 0
      found = 0
      findings = []
    }
  }

  /// User-days with late facts.
  public struct Waiting: Sendable, Equatable {
    /// The number of user-days.
    public let count: Int
    /// The earliest instant of the late facts; nil if there are none.
    public let since: Instant?

    /// No waiting user-days.
    public static let nothing = Waiting(count: 0, since: nil)

    /// The number in words.
    public var text: String { count == 1 ? "1 user-day waits" : "\(count) user-days wait" }

    /// Creates a number of waiting days.
    public init(count: Int, since: Instant?) {
      self.count = count
      self.since = since
    }
  }

  /// All checks, by number.
  public let checks: [Check]
  /// The user-days with late facts: neither missing nor right until a backfill records them.
  public let waiting: Waiting

  /// Creates a report from checks in any order.
  public init(checks: [Check], waiting: Waiting = .nothing) {
    self.checks = checks.sorted { $0.id < $1.id }
    self.waiting = waiting
  }

  /// Whether an operator should look at this.
  public var needsAttention: Bool { !passed || waiting.count > 0 }

  /// Whether the records could be read and counted, which is not possible in a damaged ledger.
  public var isCounted: Bool {
    checks.allSatisfy { $0.leftOut == nil } || checks.contains { $0.leftOut == nil && $0.id > 3 }
  }

  /// Whether every check ran and found nothing.
  public var passed: Bool { checks.allSatisfy(\.passed) }
}

/// An audit with everything that its page shows.
public struct AuditOutcome: Sendable {
  /// The checks and findings.
  public let report: AuditReport
  /// The ledger's content in figures.
  public let figures: AuditFigures
  /// The ledger lines that findings are about, by number and without their `\n`; only the first ones.
  public let records: [UInt64: String]
  /// The previous audit; nil if none is known.
  public var previous: PreviousAudit?

  /// Creates an outcome from a report, its figures and the lines it is about.
  public init(report: AuditReport, figures: AuditFigures, records: [UInt64: String]) {
    self.report = report
    self.figures = figures
    self.records = records
  }
}
