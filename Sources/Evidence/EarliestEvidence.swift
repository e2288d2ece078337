public import CivilTime

/// The earliest evidence of one kind of activity on one day.
public struct EarliestEvidence: Hashable, Sendable {
  /// The first instant of the activity within the day.
  public let effective: Instant
  /// The evidence's sequence number in the ledger; provisional while not yet recorded.
  public let seq: UInt64

  /// Creates an earliest evidence.
  @inlinable
  public init(effective: Instant, seq: UInt64) {
    self.effective = effective
    self.seq = seq
  }
}
