public import CivilTime

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
