public import CivilTime

/// How activities map to days: the part of the rules that evidence needs.
public struct ActivityPolicy: Hashable, Sendable {
  /// Which days an activity touches.
  public enum Counting: String, CaseIterable, Sendable {
    /// Every day it overlaps.
    case overlaps
    /// Only the day in which it starts.
    case starts
  }

  /// Which days an activity touches.
  public var counts: Counting
  /// The longest gap, in seconds, that counts as covered.
  public var toleratedGapSeconds: Int64
  /// How many hours after its start an open activity is believed to continue.
  public var openEndHours: Int64
  /// How many hours after its start an open activity still hides what may have happened since; at least ``openEndHours``.
  public var abandonedAfterHours: Int64

  /// The default where the rules do not set it.
  public static let usualAbandonedAfterHours: Int64 = 72

  /// Creates a policy; the defaults are the app's.
  public init(
    counts: Counting = .overlaps, toleratedGapSeconds: Int64 = 0, openEndHours: Int64 = 12,
    abandonedAfterHours: Int64 = usualAbandonedAfterHours
  ) {
    self.counts = counts
    self.toleratedGapSeconds = toleratedGapSeconds
    self.openEndHours = openEndHours
    self.abandonedAfterHours = max(abandonedAfterHours, openEndHours)
  }

  /// Returns how long an open activity that began at `start` is believed to last.
  public func trustedEnd(from start: Instant) -> Instant {
    start.adding(seconds: openEndHours * 3_600)
  }

  /// Returns the instant from which an open activity that began at `start` hides nothing: it was never ended properly.
  public func abandoned(from start: Instant) -> Instant {
    start.adding(seconds: abandonedAfterHours * 3_600)
  }
}
