public import CivilTime

/// The earliest evidence that an activity of one kind touches a day.
public struct Touch: Hashable, Sendable {
  /// The first instant of the evidence within the day.
  public let effective: Instant
  /// The ledger's sequence number of the evidence; 0 while it is not recorded.
  public let evidence: UInt64

  /// A touch.
  @inlinable
  public init(effective: Instant, evidence: UInt64) {
    self.effective = effective
    self.evidence = evidence
  }
}
