public import CivilTime
public import Evidence

/// A user's day and mission that could not be judged.
public struct UnknownRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// The mission.
  public var mission: ActivityKind
  /// The parts of the window that no look covers.
  public var gaps: [Gap]

  /// The record with these fields.
  public init(
    user: String, day: Day, mission: ActivityKind, gaps: [Gap]
  ) {
    self.user = user
    self.day = day
    self.mission = mission
    self.gaps = gaps
  }
}
