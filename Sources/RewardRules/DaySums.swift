internal import CivilTime
internal import Evidence

/// The points and exp under the keys of one user and day, as the limits count them.
struct DaySums {
  private(set) var points: Int64 = 0
  private(set) var exp: Int64 = 0

  /// The sums of what stands in the ledger for `day`.
  init(of standing: Standing, on day: Day) {
    if standing.granted.isEmpty { return }
    count(standing.granted[.login(day)])
    for kind in ActivityKind.allCases { count(standing.granted[.mission(day, kind)]) }
    for (level, counted) in standing.levelDays where counted == day {
      count(standing.granted[.level(level)])
    }
  }

  /// Adds one reward.
  mutating func count(_ reward: Reward?) {
    guard let reward else { return }
    points = points.addingSaturated(reward.points)
    exp = exp.addingSaturated(reward.exp)
  }

  /// Which limit `reward` would pass; nil for none. What adds nothing passes nothing.
  func reason(against reward: Reward, _ limits: DailyLimits) -> HoldReason? {
    let newPoints = points.addingSaturated(reward.points)
    if reward.points > 0, newPoints > limits.pointsPerUserDay {
      return .points(sum: newPoints, limit: limits.pointsPerUserDay)
    }
    let newExp = exp.addingSaturated(reward.exp)
    if reward.exp > 0, newExp > limits.expPerUserDay {
      return .exp(sum: newExp, limit: limits.expPerUserDay)
    }
    return nil
  }
}
