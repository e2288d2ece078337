public import CivilTime

/// An activity as a source told it.
public struct ReportedActivity: Hashable, Sendable {
  /// When it began.
  public let from: Instant
  /// When it ended; equal to `from` for something without duration; nil while it goes on.
  public let to: Instant?

  /// An activity.
  public init(from: Instant, to: Instant?) {
    self.from = from
    self.to = to
  }
}
