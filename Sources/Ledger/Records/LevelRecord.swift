public import CivilTime

/// A user reached a level; or, with `exp`, a correction says on which level the user stands.
public struct LevelRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The level, 1 to 30.
  public var level: Int32
  /// When; of a correction the end of the last closed day.
  public var effective: Instant
  /// Of a correction: exp within the level behind the last closed day.
  public var exp: Int64?

  /// The record with these fields.
  public init(
    user: String, level: Int32, effective: Instant, exp: Int64? = nil
  ) {
    self.user = user
    self.level = level
    self.effective = effective
    self.exp = exp
  }
}
