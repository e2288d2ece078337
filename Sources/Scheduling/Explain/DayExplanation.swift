public import CivilTime
public import Evidence
import Ledger
public import RewardRules

/// One day of one user as the rules see it, with every step that they took.
public struct DayExplanation: Sendable {
  /// The day's window.
  public let window: UserWindow
  /// Whether the day is closed: then it is explained by what was known when it was, and by what a backfill brought in.
  public let isClosed: Bool
  /// The version of the rules.
  public let rules: String
  /// What is known of the day.
  public let facts: DayFacts
  /// What the rules make of it.
  public let outcome: DayOutcome
  /// The steps, in order.
  public let trace: [TraceStep]
}
