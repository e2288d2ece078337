public import CivilTime

/// A user reached a level.
public struct LevelRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The level, 2 to 30.
  public var level: Int32
  /// When.
  public var effective: Instant

  /// The record with these fields.
  public init(
    user: String, level: Int32, effective: Instant
  ) {
    self.user = user
    self.level = level
    self.effective = effective
  }
}
