public import CivilTime

/// By what closed days are brought to what they should be.
public struct PlanTerms: Sendable {
  /// Every day that anybody can live.
  public static let allDays = Day(number: .min / 2)...Day(number: .max / 2)

  /// The plan's id.
  public let plan: String
  /// The closed days for which everything is taken into account that came late; nil for none: then only what hangs on the
  /// plan's acts changes.
  public let days: ClosedRange<Day>?
  /// What becomes of losses.
  public let protection: LossProtection
  /// The last line that the plan knows.
  public let through: UInt64
  /// When the plan is made.
  public let now: Instant

  /// Terms.
  public init(
    plan: String, days: ClosedRange<Day>?, protection: LossProtection, through: UInt64,
    now: Instant
  ) {
    self.plan = plan
    self.days = days
    self.protection = protection
    self.through = through
    self.now = now
  }

  /// What finds days that wait for a plan, among all or these.
  static func waiting(on days: ClosedRange<Day> = allDays, now: Instant) -> PlanTerms {
    PlanTerms(
      plan: "waiting", days: days, protection: .nothing, through: .max, now: now)
  }

  /// Which facts count.
  var knowing: Knowing { days.map { .everything(in: $0, through: through) } ?? .whatWasKnown }
}
