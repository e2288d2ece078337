/// The most that a user may receive for one day before a person has to review it.
public struct DailyLimits: Sendable, Equatable {
  /// The largest sum of points under the keys of one day.
  public let pointsPerUserDay: Int64
  /// The largest sum of exp, boosters included, under the keys of one day.
  public let expPerUserDay: Int64

  /// Returns the limit that `amounts` would exceed on a day with these points and exp; nil if none. What adds nothing exceeds nothing.
  public func excess(of amounts: Amounts, on points: Int64, _ exp: Int64) -> HoldReason? {
    let newPoints = points.addingSaturated(amounts.points)
    if amounts.points > 0, newPoints > pointsPerUserDay {
      return .points(sum: newPoints, limit: pointsPerUserDay)
    }
    let newExp = exp.addingSaturated(amounts.exp)
    if amounts.exp > 0, newExp > expPerUserDay {
      return .exp(sum: newExp, limit: expPerUserDay)
    }
    return nil
  }
}
