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
    /// Whether it was made and found nothing.
    public var passed: Bool { found == 0 && leftOut == nil }
  }

  /// Every check, in the order of the numbers.
  public let checks: [Check]

  /// Whether every check that was made found nothing, and none had to be left out.
  public var passed: Bool { checks.allSatisfy(\.passed) }
}

/// The findings of one check: all are counted, the first are kept.
struct FindingList: Sendable {
  /// More are only counted.
  static let limit = 100

  /// Findings about other days do not count; nil for all days.
  let days: ClosedRange<Day>?
  private(set) var found = 0
  private(set) var first: [AuditReport.Finding] = []

  mutating func add(_ finding: AuditReport.Finding) {
    if let days, let day = finding.day, !days.contains(day) { return }
    found += 1
    if first.count < Self.limit { first.append(finding) }
  }
}
