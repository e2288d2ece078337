/// One time at which a schedule fires.
public struct Fire: Hashable, Sendable {
  /// When it fires.
  public let instant: Instant
  /// The local time that the schedule names; the local time of `instant` unless that falls into a gap.
  public let nominalLocal: LocalDateTime

  /// A fire, as ``Schedule`` found it.
  public init(instant: Instant, nominalLocal: LocalDateTime) {
    self.instant = instant
    self.nominalLocal = nominalLocal
  }
}
