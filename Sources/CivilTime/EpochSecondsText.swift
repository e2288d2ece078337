/// Writes instants as seconds since 1970 in exact decimal digits.
enum EpochSecondsText {
  private static let attosecondsPerSecond: Int64 = 1_000_000_000_000_000_000

  /// The number `seconds` + `attoseconds` (0 or more) · 10⁻¹⁸, without trailing zeros after the point.
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
