internal import CivilTime
internal import Evidence

/// The points and exp under the keys of one user's day, as the limits count them.
struct DaySums {
  private(set) var points: Int64 = 0
  private(set) var exp: Int64 = 0

  /// Creates the sums of the grants that stand for `day`.
  init(of standing: borrowing RecordedKeys, on day: Day) {
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

  /// Replaces a standing reward with another in the sums, for an adjustment.
  mutating func replace(_ standing: Reward, by reward: Reward) {
    points = points.addingSaturated(reward.points - standing.points)
    exp = exp.addingSaturated(reward.exp - standing.exp)
  }

  /// Returns the limit that `reward` would exceed; nil if none. A reward that adds nothing exceeds nothing.
  func reason(against reward: Reward, _ limits: DailyLimits) -> HoldReason? {
    limits.excess(of: reward.amounts, on: points, exp)
  }
}
