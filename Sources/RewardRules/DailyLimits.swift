/// The most that a user may receive for one day before a person has to review it.
public struct DailyLimits: Sendable, Equatable {
  /// The largest sum of points under the keys of one day.
  public let pointsPerUserDay: Int64
  /// The largest sum of exp, boosters included, under the keys of one day.
  public let expPerUserDay: Int64
}
