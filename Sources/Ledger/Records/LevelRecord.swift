public import CivilTime
public import Described

/// The record that a user reached a level; with `exp`, a plan's correction of it.
public struct LevelRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The level.
  public var level: Int32
  /// When the level was reached; for a correction, the end of the last closed day.
  public var effective: Instant
  /// The exp within the level after the last closed day; only for a correction.
  public var exp: Int64?
  /// The state the plan leaves; only on the last record of the user's part.
  public var settled: SettledChange?

  /// Creates the record of a level.
  public init(user: String, level: Int32, effective: Instant, exp: Int64? = nil) {
    self.user = user
    self.level = level
    self.effective = effective
    self.exp = exp
  }
}

extension LevelRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    level = try coder.field("level", value?.pointee.level)
    effective = try coder.field("effective", value?.pointee.effective)
    exp = try coder.optional("exp", value?.pointee.exp)
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}
