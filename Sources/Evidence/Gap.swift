public import CivilTime

/// A part of a day's window that no look covers, with its kind and cause.
public struct Gap: Hashable, Sendable {
  /// The kind of activity that may have happened unseen.
  public let kind: ActivityKind
  /// The first uncovered instant.
  public let from: Instant
  /// The first instant after the gap.
  public let to: Instant
  /// The cause in one or two words: a ``FailureCause`` or `not looked`.
  public let cause: String

  /// Creates a gap.
  public init(kind: ActivityKind, from: Instant, to: Instant, cause: String) {
    self.kind = kind
    self.from = from
    self.to = to
    self.cause = cause
  }
}
