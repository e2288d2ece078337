public import CivilTime

/// Something was not accepted.
public struct RefusedRecord: Sendable, Equatable {
  /// The user, when there is one.
  public var user: String?
  /// The day, when there is one.
  public var day: Day?
  /// What was refused.
  public var what: Refusal
  /// The key of a grant that was held back or conflicts.
  public var key: String?
  /// Place, cause and remedy.
  public var detail: String
  /// Points held back, else 0.
  public var points: Int64
  /// Exp held back, else 0.
  public var exp: Int64
  /// The streak after the day, when the grant held back is a login's: the day counts all the same.
  public var streak: StreakMark?

  /// The record with these fields.
  public init(
    user: String? = nil, day: Day? = nil, what: Refusal, key: String? = nil, detail: String,
    points: Int64 = 0, exp: Int64 = 0, streak: StreakMark? = nil
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.key = key
    self.detail = detail
    self.points = points
    self.exp = exp
    self.streak = streak
  }
}
