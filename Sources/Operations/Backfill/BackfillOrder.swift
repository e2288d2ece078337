public import CivilTime
public import Engine

/// What a backfill is asked to do.
public struct BackfillOrder: Sendable, Equatable {
  /// The user-local days that are judged again by all that is recorded, first and last included; nil for none: then only
  /// what hangs on the plan's reversals and releases changes.
  public var days: ClosedRange<Day>?
  /// Only these users, whether anything came late for them or not; when it is empty, all for whom something did.
  public var users: Set<String>
  /// Whether also users for whom nothing came late are judged again.
  public var isForAll: Bool
  /// What becomes of what users would lose.
  public var protection: LossProtection
  /// What users have left elsewhere, of those of whom it is known.
  public var holdings: [String: Holdings]

  /// An order.
  public init(
    days: ClosedRange<Day>?, users: Set<String> = [], isForAll: Bool = false,
    protection: LossProtection = .everything,
    holdings: [String: Holdings] = [:]
  ) {
    self.days = days
    self.users = users
    self.isForAll = isForAll
    self.protection = protection
    self.holdings = holdings
  }

  /// By what a plan of this order, made at `now` on the line `through`, judges.
  func terms(plan: String, through: UInt64, now: Instant) -> PlanTerms {
    PlanTerms(plan: plan, days: days, protection: protection, through: through, now: now)
  }
}
