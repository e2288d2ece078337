public import CivilTime

/// How activities are laid against days: the part of the rules that evidence needs.
public struct ActivityPolicy: Hashable, Sendable {
  /// Which days an activity touches.
  public enum Counting: String, CaseIterable, Sendable {
    /// Every day that it overlaps.
    case overlaps
    /// The day in which it starts, only.
    case starts
  }

  /// Which days an activity touches.
  public var counts: Counting
  /// Gaps up to this many seconds count as covered.
  public var toleratedGapSeconds: Int64
  /// For how many hours after its start an activity without an end is believed to go on.
  public var openEndHours: Int64
  /// For how many hours after its start an activity without an end hides what happened since it was believed; at least as many.
  public var abandonedAfterHours: Int64

  /// Where the rules do not say.
  public static let usualAbandonedAfterHours: Int64 = 72

  /// A policy; the app's own by default.
  public init(
    counts: Counting = .overlaps, toleratedGapSeconds: Int64 = 0, openEndHours: Int64 = 12,
    abandonedAfterHours: Int64 = usualAbandonedAfterHours
  ) {
    self.counts = counts
    self.toleratedGapSeconds = toleratedGapSeconds
    self.openEndHours = openEndHours
    self.abandonedAfterHours = max(abandonedAfterHours, openEndHours)
  }

  /// Up to when an activity without an end that began at `start` is believed to go on.
  public func trustedEnd(from start: Instant) -> Instant {
    start.adding(seconds: openEndHours * 3_600)
  }

  /// From when on an activity without an end that began at `start` hides nothing: somebody has forgotten to end it.
  public func abandoned(from start: Instant) -> Instant {
    start.adding(seconds: abandonedAfterHours * 3_600)
  }
}
