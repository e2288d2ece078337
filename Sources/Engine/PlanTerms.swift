public import CivilTime
internal import Evidence
internal import RewardRules

/// By what closed days are brought to what they should be.
public struct PlanTerms: Sendable {
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

  /// What finds days that wait for a plan.
  static func waiting(now: Instant) -> PlanTerms {
    PlanTerms(
      plan: "waiting", days: Timeline.allDays, protection: .nothing, through: .max, now: now)
  }

  /// Which facts count.
  var knowing: Knowing { days.map { .everything(in: $0, through: through) } ?? .whatWasKnown }
}

extension Timeline {
  /// Every day that anybody can live.
  public static let allDays = Day(number: .min / 2)...Day(number: .max / 2)

  /// The closed days whose facts came late and wait for a plan, because one that takes them into account would change
  /// something; none when nothing waits. The timeline needs a history.
  public func waitingDays(now: Instant) -> [Day] {
    if UserPlan(self, .waiting(now: now)).records.isEmpty { return [] }
    let known = evaluate(.closed).days
    let all = evaluate(.closed, knowing: .everything(in: Self.allDays, through: .max)).days
    return zip(known, all).filter { !$0.facts.says(the: $1.facts) || $0.rules !== $1.rules }
      .map(\.0.day)
  }
}

extension DayFacts {
  /// Whether two views of one day are the same to the rules.
  fileprivate func says(the other: DayFacts) -> Bool {
    met == other.met && uncovered == other.uncovered && isExcused == other.isExcused
      && credits == other.credits && met.kinds.allSatisfy { self[$0] == other[$0] }
  }
}
