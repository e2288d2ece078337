public import CivilTime
public import Evidence

/// One step in judging a day. `explain` shows these in order.
public enum TraceStep: Sendable, Equatable {
  /// The day being judged, and the rules used.
  case day(UserWindow, rules: String)
  /// An operator excused the day.
  case excused
  /// A kind was met.
  case met(ActivityKind, EarliestEvidence)
  /// How long a met kind lasted, the mission's verdict on that, and the gaps that may hide more of it.
  case lasted(MissionDuration, Verdict, [Gap])
  /// A kind was not met, and polls cover the whole window.
  case notMet(ActivityKind)
  /// Whether a kind was met is unknown.
  case unknown(ActivityKind, [Gap])
  /// A kind has no configured source.
  case notWatched(ActivityKind)
  /// The effect of the day on the streak.
  case streak(DayOutcome.StreakClass, before: StreakState, after: StreakState)
  /// This day or an earlier one is pending, so the streak waits.
  case streakWaits
  /// A credit from elsewhere took effect.
  case credited(Credit)
  /// An item was drawn.
  case drawn(RewardKey, item: String)
  /// Nothing was left to draw, so the fallback is given.
  case nothingLeft(RewardKey, category: String)
  /// A running booster multiplies exp.
  case boosted(RewardKey, multiplier: Int64, until: Instant)
  /// The grant is due.
  case granted(GrantIntent)
  /// The grant waits for a release.
  case heldBack(GrantIntent, HoldReason)
  /// A reversal stands under the key, so nothing is given.
  case reversed(RewardKey)
  /// A level was reached.
  case level(DayOutcome.LevelReached)
  /// A sum passed 64 bits and stopped there.
  case saturated

  /// The mission the step belongs to: a kind's name, `login` or `level`; nil for the day as a whole.
  public var mission: String? {
    switch self {
    case .day, .excused, .credited, .saturated: nil
    case .met(let kind, _), .notMet(let kind), .unknown(let kind, _), .notWatched(let kind):
      kind.name
    case .lasted(let duration, _, _): duration.kind.name
    case .streak, .streakWaits: OtherMission.login.rawValue
    case .level: OtherMission.level.rawValue
    case .drawn(let key, _), .nothingLeft(let key, _), .boosted(let key, _, _), .reversed(let key):
      key.mission
    case .granted(let intent), .heldBack(let intent, _): intent.key.mission
    }
  }
}
