internal import CivilTime
internal import Evidence

/// The points and exp under the keys of one user and day, as the limits count them.
struct DaySums {
  private(set) var points: Int64 = 0
  private(set) var exp: Int64 = 0

  /// Creates the sums of what stands in the ledger for `day`.
  init(of standing: borrowing Standing, on day: Day) {
    if standing.granted.isEmpty { return }
    var keys = [RewardKey.login(day)]
    keys += ActivityKind.allCases.map { .mission(day, $0) }
    keys += standing.levelDays.filter { $0.value == day }.keys.map(RewardKey.level)
    for key in keys {
      if let reward = standing.granted[key] { count(reward) }
    }
  }

  /// Adds one reward.
  mutating func count(_ reward: Reward) {
    points = points.addingSaturated(reward.points)
    exp = exp.addingSaturated(reward.exp)
  }

  /// Counts a reward as another one: what stands is adjusted.
  mutating func replace(_ standing: Reward, by reward: Reward) {
    points = points.addingSaturated(reward.points - standing.points)
    exp = exp.addingSaturated(reward.exp - standing.exp)
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
