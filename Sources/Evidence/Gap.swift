public import CivilTime

/// A part of a day's window that no look covers, with its source and cause.
public struct Gap: Hashable, Sendable {
  /// The kind of activity that may have happened unseen.
  public let kind: ActivityKind
  /// The first instant that is not covered.
  public let from: Instant
  /// The first instant after the gap.
  public let to: Instant
  /// Why, in one or two words: a ``FailureCause`` or `not looked`.
  public let cause: String

  /// A gap.
  public init(kind: ActivityKind, from: Instant, to: Instant, cause: String) {
    self.kind = kind
    self.from = from
    self.to = to
    self.cause = cause
  }
}
