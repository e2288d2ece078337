public import CivilTime
public import Evidence

/// One thing that the rules looked at or decided about a day, in the order in which they did. `explain` shows these.
public enum TraceStep: Sendable, Equatable {
  /// The day that is judged, and by which rules.
  case day(UserWindow, rules: String)
  /// An operator declared an outage for the day.
  case excused
  /// A kind was met.
  case met(ActivityKind, EarliestEvidence)
  /// How long a kind that is met lasted, what its mission makes of that, and where more of it may be hidden.
  case lasted(MissionDuration, Verdict, [Gap])
  /// A kind was not met: looks cover the whole window.
  case notMet(ActivityKind)
  /// Of a kind is not known whether it was met.
  case unknown(ActivityKind, [Gap])
  /// A kind has no configured source.
  case notWatched(ActivityKind)
  /// What the day does to the streak.
  case streak(DayOutcome.StreakClass, before: StreakState, after: StreakState)
  /// This day or an earlier one is undecided, so the streak waits.
  case streakWaits
  /// What the user got elsewhere took effect.
  case credited(Credit)
  /// An item was drawn.
  case drawn(RewardKey, item: String)
  /// Nothing was left to draw: the fallback is given.
  case nothingLeft(RewardKey, category: String)
  /// A booster runs and multiplies exp.
  case boosted(RewardKey, multiplier: Int64, until: Instant)
  /// The grant is due.
  case granted(GrantIntent)
  /// The grant waits for a release.
  case heldBack(GrantIntent, HoldReason)
  /// A reversal stands under the key: nothing is given.
  case settled(RewardKey)
  /// A level was reached.
  case level(DayOutcome.LevelReached)
  /// A sum passed 64 bits and stopped there.
  case saturated

  /// The mission to which the step belongs: a kind's name, `login` or `level`; nil for the day as a whole.
  public var mission: String? {
    switch self {
    case .day, .excused, .credited, .saturated: nil
    case .met(let kind, _), .notMet(let kind), .unknown(let kind, _), .notWatched(let kind):
      kind.name
    case .lasted(let duration, _, _): duration.kind.name
    case .streak, .streakWaits: "login"
    case .level: "level"
    case .drawn(let key, _), .nothingLeft(let key, _), .boosted(let key, _, _), .settled(let key):
      key.mission
    case .granted(let intent), .heldBack(let intent, _): intent.key.mission
    }
  }
}
