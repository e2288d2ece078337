package import CivilTime
package import Engine
package import RewardRules

/// The parameters of a backfill.
package struct BackfillOrder: Sendable, Equatable {
  /// The user-local days to judge again by everything recorded, first and last included. With nil, only what depends on the
  /// plan's reversals and releases changes.
  package var days: ClosedRange<Day>?
  /// The users to judge, with or without late facts; when empty, every user with late facts.
  package var users: Set<String>
  /// Whether users without late facts are judged too.
  package var isForAll: Bool
  /// The treatment of what users would lose.
  package var protection: LossProtection
  /// What users have left elsewhere, where that is known.
  package var holdings: [String: Amounts]

  package init(
    days: ClosedRange<Day>?, users: Set<String> = [], isForAll: Bool = false,
    protection: LossProtection = .everything,
    holdings: [String: Amounts] = [:]
  ) {
    self.days = days
    self.users = users
    self.isForAll = isForAll
    self.protection = protection
    self.holdings = holdings
  }

  /// Returns the terms by which a plan of this order judges, made at `now` on the line `through`.
  func terms(plan: String, through: UInt64, now: Instant) -> PlanTerms {
    PlanTerms(plan: plan, days: days, protection: protection, through: through, now: now)
  }
}
