package import CivilTime
internal import RewardRules

/// The figures of an earlier audit.
package struct PreviousAudit: Sendable, Equatable {
  /// The previous result of a check.
  package struct Check: Sendable, Equatable {
    /// The number of things examined.
    package var examined: Int
    /// The number of findings.
    package var found: Int

    /// Creates a check's figures.
    package init(examined: Int, found: Int) {
      self.examined = examined
      self.found = found
    }
  }

  /// When it was made.
  package var madeAt: Instant
  /// The checks by their numbers.
  package var checks: [Int: Check]
  /// The totals by their names on the page, such as `Points`.
  package var totals: [String: Int64]

  /// Creates an audit's figures.
  package init(madeAt: Instant, checks: [Int: Check], totals: [String: Int64]) {
    self.madeAt = madeAt
    self.checks = checks
    self.totals = totals
  }

  /// Takes the figures of an outcome, for comparison with the next audit.
  package init(of outcome: AuditOutcome) {
    madeAt = outcome.figures.origin.madeAt
    checks = Dictionary(
      outcome.report.checks.map { ($0.id, Check(examined: $0.examined, found: $0.found)) },
      uniquingKeysWith: { first, _ in first })
    totals = Dictionary(uniqueKeysWithValues: outcome.figures.totals.named)
  }
}

extension AuditFigures.Totals {
  /// The totals with their names, in display order.
  package var named: [(String, Int64)] {
    [
      ("Users", Int64(users)), ("Records", Int64(records)), ("Grants", Int64(grants)),
    ] + RewardUnit.allCases.map { ($0.title, amounts[$0]) }
  }
}

extension RewardUnit {
  /// The unit's name at the beginning of a line.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
