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

/// Writes instants as seconds since 1970 in exact decimal digits.
enum EpochSecondsText {
  private static let attosecondsPerSecond: Int64 = 1_000_000_000_000_000_000

  /// Returns the number `seconds` + `attoseconds` (0 or more) · 10⁻¹⁸, without trailing zeros after the point.
  static func text(seconds: Int64, attoseconds: Int64) -> String {
    if attoseconds == 0 { return String(seconds) }
    // Below zero the seconds were rounded down: what is written counts from the other side.
    let isNegative = seconds < 0
    let whole = isNegative ? (seconds + 1).magnitude : seconds.magnitude
    let fraction = isNegative ? attosecondsPerSecond - attoseconds : attoseconds
    var digits = String(fraction + attosecondsPerSecond).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(isNegative ? "-" : "")\(whole).\(digits)"
  }
}

extension Instant {
  /// Seconds since 1970 as an exact decimal number, as `-206292593.716815`, without trailing zeros.
  public var epochSecondsText: String {
    EpochSecondsText.text(seconds: seconds, attoseconds: Int64(nanoseconds) * 1_000_000_000)
  }
}
