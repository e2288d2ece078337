/// An instant read from text, with what the text said beyond it.
public struct ParsedInstant: Hashable, Sendable {
  /// How a text without an offset fits the zone in which it was read.
  public enum Fit: Hashable, Sendable {
    /// The text had an offset, or its local time happens once.
    case exact
    /// Its local time lies in a gap and was read as the later instant.
    case gap
    /// Its local time happens more than once and was read as the earlier instant.
    case overlap
  }

  /// The instant; digits below a nanosecond are cut off.
  public let instant: Instant
  /// How the text fits the zone.
  public let fit: Fit
  /// Whether the text had an offset or `Z`.
  public let hasOffset: Bool
  /// The fraction of the second in units of 10⁻¹⁸ s, as exact as the text.
  let attoseconds: Int64

  /// Seconds since 1970 as an exact decimal number with all digits of the text that are not trailing zeros.
  public var epochSecondsText: String {
    EpochSecondsText.text(seconds: instant.seconds, attoseconds: attoseconds)
  }
}
