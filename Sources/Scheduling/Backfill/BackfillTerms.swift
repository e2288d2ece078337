public import CivilTime

/// By what a backfill judges closed days again.
public struct BackfillTerms: Sendable {
  /// No day that anybody lives: as a range it lets nothing in that came late, but what a backfill has brought in.
  public static let noDay = Day(number: .max)...Day(number: .max)

  /// The plan's id.
  public let plan: String
  /// The days that are judged by everything that is recorded; the others by what was known when they were closed.
  public let range: ClosedRange<Day>
  /// What becomes of losses.
  public let protection: LossProtection

  /// Terms.
  public init(
    plan: String, range: ClosedRange<Day> = BackfillTerms.noDay, protection: LossProtection
  ) {
    self.plan = plan
    self.range = range
    self.protection = protection
  }
}
