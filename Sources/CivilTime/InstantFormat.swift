/// Writes instants as RFC 3339 text.
public enum InstantFormat {
  /// The number of fractional digits written.
  public enum Fraction: Sendable {
    /// None to nine, without trailing zeros.
    case asNeeded
    /// Always three; anything below a millisecond is cut off.
    case milliseconds
  }

  /// Returns the text of `instant` at `offsetSeconds` from UTC, with `Z` for 0 and `±hh:mm` otherwise. RFC 3339
  /// offsets have no seconds, so a local mean time is written with its offset in whole minutes.
  public static func text(
    of instant: Instant, fraction: Fraction, offsetSeconds: Int32 = 0
  ) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(30)
    append(instant, fraction: fraction, offsetSeconds: offsetSeconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text of `instant` to `bytes`; see ``text(of:fraction:offsetSeconds:)``.
  public static func append(
    _ instant: Instant, fraction: Fraction, offsetSeconds: Int32 = 0, to bytes: inout [UInt8]
  ) {
    let offsetSeconds = offsetSeconds / 60 * 60
    let local = instant.seconds + Int64(offsetSeconds)
    let dayNumber = local.flooredQuotient(dividingBy: 86_400)
    let second = Int(local - dayNumber * 86_400)
    Day(number: Int32(clamping: dayNumber)).append(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    append(secondOfDay: second, to: &bytes)
    appendFraction(instant.nanoseconds, fraction, to: &bytes)
    appendOffset(offsetSeconds, to: &bytes)
  }

  /// Appends the time of day as `hh:mm:ss`.
  static func append(secondOfDay second: Int, to bytes: inout [UInt8]) {
    appendTwoDigits(second / 3_600, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendTwoDigits(second / 60 % 60, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendTwoDigits(second % 60, to: &bytes)
  }

  private static func appendFraction(
    _ nanoseconds: Int32, _ fraction: Fraction, to bytes: inout [UInt8]
  ) {
    var digits = 9
    var value = Int(nanoseconds)
    switch fraction {
    case .milliseconds:
      digits = 3
      value /= 1_000_000
    case .asNeeded:
      if value == 0 { return }
      while value % 10 == 0 {
        value /= 10
        digits -= 1
      }
    }
    bytes.append(UInt8(ascii: "."))
    var scale = 1
    for _ in 1..<digits { scale *= 10 }
    while scale > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(value / scale % 10))
      scale /= 10
    }
  }

  private static func appendOffset(_ offset: Int32, to bytes: inout [UInt8]) {
    if offset == 0 { return bytes.append(UInt8(ascii: "Z")) }
    bytes.append(UInt8(ascii: offset < 0 ? "-" : "+"))
    let minutes = Int(offset.magnitude) / 60
    appendTwoDigits(minutes / 60, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendTwoDigits(minutes % 60, to: &bytes)
  }

  static func appendTwoDigits(_ value: Int, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "0") + UInt8(value / 10 % 10))
    bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

extension Int64 {
  /// Returns the quotient rounded towards minus infinity. The divisor must be positive.
  func flooredQuotient(dividingBy divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
