/// How activities become evidence of a day.
public struct ActivityRules: Sendable, Equatable {
  /// Which of an activity's instants count.
  public enum Counting: String, Sendable, CaseIterable {
    /// Every day that the activity touches.
    case overlaps
    /// Only the day in which it starts.
    case starts
  }

  /// Which days an activity counts for.
  public let counts: Counting
  /// Gaps up to this length count as covered.
  public let toleratedGapSeconds: Int64
  /// How long after its start an activity without an end is believed to go on.
  public let openEndHours: Int64
}
