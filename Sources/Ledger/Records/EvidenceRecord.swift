public import CivilTime
public import Evidence

/// An activity that was observed; never whom a gift went to.
public struct EvidenceRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// What the user did.
  public var kind: ActivityKind
  /// When it began.
  public var from: Instant
  /// When it ended, or until when it is known to have lasted.
  public var to: Instant
  /// Whether it was still going on when it was seen.
  public var open: Bool
  /// Where it was seen.
  public var source: Source
  /// When the look was made.
  public var observedAt: Instant

  /// The record with these fields.
  public init(
    user: String, kind: ActivityKind, from: Instant, to: Instant, open: Bool = false,
    source: Source, observedAt: Instant
  ) {
    self.user = user
    self.kind = kind
    self.from = from
    self.to = to
    self.open = open
    self.source = source
    self.observedAt = observedAt
  }
}
