public import CivilTime
public import Evidence

/// How far one source proves that nothing happened on a day.
public struct StreakProof: Sendable, Equatable {
  /// The source.
  public var source: Source
  /// Up to where its looks cover the day without a gap.
  public var through: Instant
  /// How many looks prove it.
  public var looks: Int32
  /// Seconds of the day that no look covers and that the rules tolerate.
  public var toleratedSeconds: Int64

  /// A value with these fields.
  public init(
    source: Source, through: Instant, looks: Int32, toleratedSeconds: Int64 = 0
  ) {
    self.source = source
    self.through = through
    self.looks = looks
    self.toleratedSeconds = toleratedSeconds
  }
}
