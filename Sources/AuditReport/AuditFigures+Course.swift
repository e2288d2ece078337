public import CivilTime

extension AuditFigures {
  /// How the closed days of some users went.
  public struct UserDays: Sendable, Equatable {
    /// Days that counted for the streak.
    public var counted = 0
    /// Days that neither counted nor broke.
    public var held = 0
    /// Days that somebody excused.
    public var excused = 0
    /// Days on which a streak broke.
    public var broken = 0
    /// All users that were judged.
    public var users = 0

    /// No day.
    public init() {}

    /// The days of both.
    public static func += (left: inout UserDays, right: UserDays) {
      left.counted += right.counted
      left.held += right.held
      left.excused += right.excused
      left.broken += right.broken
      left.users += right.users
    }
  }

  /// A kind of act by hand, and who does it.
  public struct Act: Hashable, Sendable {
    /// What is done, in a word or two.
    public let what: String
    /// Who, as the record says.
    public let actor: String

    /// An act.
    public init(what: String, actor: String) {
      self.what = what
      self.actor = actor
    }
  }

  /// How often something took how long.
  public struct Delays: Sendable, Equatable {
    /// The upper ends of the ranges in seconds, each included; the last range has none.
    public static let bounds: [Int64] = [60, 300, 900, 1_800, 3_600, 10_800, 43_200]

    /// How often, in each range.
    public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

    /// Nothing yet.
    public init() {}

    /// Counts one; what took less than nothing counts as nothing.
    public mutating func add(seconds: Int64) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    /// The counts of both.
    public static func += (left: inout Delays, right: Delays) {
      for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }

    /// How many there are.
    public var total: Int { counts.reduce(0, +) }
  }

  /// What users should have by all that is recorded: opening balances and what was given since.
  public var given: (opening: Sum, since: Sum, all: Sum) {
    let opening = openings.values.reduce(into: Sum()) { $0 += $1 }
    var since = Sum()
    for day in days { for part in day.missions.values { since += part } }
    var all = opening
    all += since
    return (opening, since, all)
  }
}

/// An audit that was made before this one, in figures.
public struct PreviousAudit: Sendable, Equatable {
  /// What a check came to then.
  public struct Check: Sendable, Equatable {
    /// How many things it looked at.
    public var examined: Int
    /// How many findings there were.
    public var found: Int

    /// A check's figures.
    public init(examined: Int, found: Int) {
      self.examined = examined
      self.found = found
    }
  }

  /// When it was made.
  public var madeAt: Instant
  /// The checks by their numbers.
  public var checks: [Int: Check]
  /// The totals by their names on the page, as `Points`.
  public var totals: [String: Int64]

  /// An audit's figures.
  public init(madeAt: Instant, checks: [Int: Check], totals: [String: Int64]) {
    self.madeAt = madeAt
    self.checks = checks
    self.totals = totals
  }

  /// The figures of an outcome, for the audit after it.
  public init(of outcome: AuditOutcome) {
    madeAt = outcome.figures.origin.madeAt
    checks = Dictionary(
      outcome.report.checks.map { ($0.id, Check(examined: $0.examined, found: $0.found)) },
      uniquingKeysWith: { first, _ in first })
    totals = Dictionary(uniqueKeysWithValues: outcome.figures.totals.named)
  }
}

extension AuditFigures.Totals {
  /// The totals with their names, in the order in which they are shown.
  public var named: [(String, Int64)] {
    [
      ("Users", Int64(users)), ("Records", Int64(records)), ("Grants", Int64(grants)),
      ("Points", points), ("Exp", exp), ("Coins", coins),
    ]
  }
}
