/// An instant parsed from text, with what else the text stated.
public struct ParsedInstant: Hashable, Sendable {
  /// How a text without an offset fits the zone it was read in.
  public enum Fit: Hashable, Sendable {
    /// The text has an offset, or its local time happens exactly once.
    case exact
    /// The local time lies in a gap and was read as the later instant.
    case gap
    /// The local time happens more than once and was read as the earliest instant.
    case overlap
  }

  /// The instant, truncated to nanoseconds.
  public let instant: Instant
  /// How the text fits the zone.
  public let fit: Fit
  /// Whether the text has an offset or `Z`.
  public let hasOffset: Bool
  /// The fraction of the second in units of 10⁻¹⁸ s, as exact as in the text.
  let attoseconds: Int64

  /// Seconds since 1970 as an exact decimal number, with every digit of the text except trailing zeros.
  public var epochSecondsText: String {
    EpochSecondsText.text(seconds: instant.seconds, attoseconds: attoseconds)
  }
}

/// Writes instants as seconds since 1970 in exact decimal digits.
enum EpochSecondsText {
  private static let attosecondsPerSecond: Int64 = 1_000_000_000_000_000_000

  /// Returns `seconds` + `attoseconds` (0 or more) · 10⁻¹⁸ without trailing zeros after the point.
  static func text(seconds: Int64, attoseconds: Int64) -> String {
    if attoseconds == 0 { return String(seconds) }
    // Negative seconds were rounded down, so the digits count from the other side.
    let isNegative = seconds < 0
    let whole = isNegative ? (seconds + 1).magnitude : seconds.magnitude
    let fraction = isNegative ? attosecondsPerSecond - attoseconds : attoseconds
    var digits = String(fraction + attosecondsPerSecond).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(isNegative ? "-" : "")\(whole).\(digits)"
  }
}

extension Instant {
  /// Seconds since 1970 as an exact decimal number without trailing zeros, e.g. `-206292593.716815`.
  public var epochSecondsText: String {
    EpochSecondsText.text(seconds: seconds, attoseconds: Int64(nanoseconds) * 1_000_000_000)
  }
}
