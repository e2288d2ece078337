package import CivilTime

/// The terms of a plan that corrects closed days.
package struct PlanTerms: Sendable {
  /// A range that contains every possible day.
  package static let allDays = Day(number: .min / 2)...Day(number: .max / 2)

  /// The plan's id.
  package let plan: String
  /// The closed days for which all late facts count. Nil for none: then only what depends on the plan's acts changes.
  package let days: ClosedRange<Day>?
  /// How the plan protects from losses.
  package let protection: LossProtection
  /// The last ledger line that the plan considers.
  package let through: UInt64
  /// When the plan is made.
  package let now: Instant

  /// Creates terms.
  package init(
    plan: String, days: ClosedRange<Day>?, protection: LossProtection, through: UInt64,
    now: Instant
  ) {
    self.plan = plan
    self.days = days
    self.protection = protection
    self.through = through
    self.now = now
  }

  /// Returns the terms that find the days waiting for a plan, among `days`.
  static func waiting(on days: ClosedRange<Day> = allDays, now: Instant) -> PlanTerms {
    PlanTerms(
      plan: "waiting", days: days, protection: .nothing, through: .max, now: now)
  }

  /// Which facts count.
  var cutoff: FactCutoff { days.map { .everything(in: $0, through: through) } ?? .whatWasKnown }
}
