public import CivilTime

/// What an audit found, check by check.
public struct AuditReport: Sendable {
  /// Something that is not as it should be.
  public struct Finding: Sendable, Equatable {
    /// What is wrong.
    public let text: String
    /// The line of the ledger, where it is about one.
    public var seq: UInt64?
    /// The key of a grant, where it is about one.
    public var key: String?
    /// The user, where it is about one.
    public var user: String?
    /// The user-local day, where it is about one.
    public var day: Day?

    /// A finding; what it is not about is left out.
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

  /// One check.
  public struct Check: Sendable {
    /// Its number in the list of checks.
    public let id: Int
    /// What it checks.
    public let name: String
    /// How many things it looked at.
    public let examined: Int
    /// How many findings there are.
    public let found: Int
    /// The first of them.
    public let findings: [Finding]
    /// Why it could not be made, nil when it was.
    public let leftOut: String?
    /// What there is to know besides; no finding.
    public var note: String?
    /// Whether it was made and found nothing.
    public var passed: Bool { found == 0 && leftOut == nil }

    /// A check that was made; `findings` are the first of all that were `found`.
    public init(_ id: Int, _ name: String, examined: Int, found: Int, findings: [Finding]) {
      self.id = id
      self.name = name
      self.examined = examined
      self.found = found
      self.findings = findings
      leftOut = nil
    }

    /// A check that could not be made.
    public init(_ id: Int, _ name: String, leftOut: String) {
      self.id = id
      self.name = name
      self.leftOut = leftOut
      examined = 0
      found = 0
      findings = []
    }
  }

  /// User-days whose facts came late.
  public struct Waiting: Sendable, Equatable {
    /// How many, each user's counted.
    public let count: Int
    /// The earliest instant of the facts for which they wait; nil when none does.
    public let since: Instant?

    /// No day waits.
    public static let nothing = Waiting(count: 0, since: nil)

    /// How many wait, in words.
    public var text: String { count == 1 ? "1 user-day waits" : "\(count) user-days wait" }

    /// So many days.
    public init(count: Int, since: Instant?) {
      self.count = count
      self.since = since
    }
  }

  /// Every check, in the order of the numbers.
  public let checks: [Check]
  /// The user-days whose facts came late: neither missing nor right before a backfill brings them in.
  public let waiting: Waiting

  /// A report of these checks, in any order.
  public init(checks: [Check], waiting: Waiting = .nothing) {
    self.checks = checks.sorted { $0.id < $1.id }
    self.waiting = waiting
  }

  /// Whether somebody should look at this.
  public var needsAttention: Bool { !passed || waiting.count > 0 }

  /// Whether the records could be read and counted: not when the ledger is damaged.
  public var isCounted: Bool {
    checks.allSatisfy { $0.leftOut == nil } || checks.contains { $0.leftOut == nil && $0.id > 3 }
  }

  /// Whether every check that was made found nothing, and none had to be left out.
  public var passed: Bool { checks.allSatisfy(\.passed) }
}

/// An audit with what its page shows besides.
public struct AuditOutcome: Sendable {
  /// What was found.
  public let report: AuditReport
  /// What the ledger holds, counted.
  public let figures: AuditFigures
  /// The lines of the ledger that findings are about, by their number, without their `\n`; the first only.
  public let records: [UInt64: String]
  /// The audit before this one; nil when none is known.
  public var previous: PreviousAudit?

  /// An audit with its figures, and the lines that it is about.
  public init(report: AuditReport, figures: AuditFigures, records: [UInt64: String]) {
    self.report = report
    self.figures = figures
    self.records = records
  }
}
