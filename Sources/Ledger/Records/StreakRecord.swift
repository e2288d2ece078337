public import CivilTime

/// A user's day on which the streak was broken, held, excused or repaired.
public struct StreakRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// What happened to the streak.
  public var what: StreakChange
  /// The streak before the day.
  public var before: StreakMark
  /// The streak after the day.
  public var after: StreakMark
  /// Of a break: which sources were looked at, and how far they prove.
  public var proof: [StreakProof]

  /// The record with these fields.
  public init(
    user: String, day: Day, what: StreakChange, before: StreakMark, after: StreakMark,
    proof: [StreakProof] = []
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.before = before
    self.after = after
    self.proof = proof
  }
}
