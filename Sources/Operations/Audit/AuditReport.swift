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

    init(
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
    public var leftOut: String?
    /// What there is to know besides; no finding.
    public private(set) var note: String?
    /// Whether it was made and found nothing.
    public var passed: Bool { found == 0 && leftOut == nil }

    init(_ id: Int, _ name: String, examined: Int, _ list: FindingList) {
      self.id = id
      self.name = name
      self.examined = examined
      found = list.found
      findings = list.kept
    }

    /// A check that could not be made.
    init(_ id: Int, _ name: String, leftOut: String) {
      self.id = id
      self.name = name
      self.leftOut = leftOut
      examined = 0
      found = 0
      findings = []
    }

    /// The same check, with the days that wait for a backfill.
    func noting(_ waiting: WaitingDays) -> Check {
      guard let since = waiting.since else { return self }
      var check = self
      check.note = "\(waiting.text) for a backfill, since \(since)"
      return check
    }
  }

  /// Every check, in the order of the numbers.
  public let checks: [Check]
  /// The user-days whose facts came late: neither missing nor right before a backfill brings them in.
  public let waiting: WaitingDays

  init(checks: [Check], waiting: WaitingDays = WaitingDays()) {
    self.checks = checks.sorted { $0.id < $1.id }
    self.waiting = waiting
  }

  /// Whether somebody should look at this.
  public var needsAttention: Bool { !passed || waiting.count > 0 }

  /// Whether every check that was made found nothing, and none had to be left out.
  public var passed: Bool { checks.allSatisfy(\.passed) }
}
