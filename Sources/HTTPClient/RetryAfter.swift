package import CivilTime

/// Parses the `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date in any of HTTP's three forms.
package enum RetryAfter {
  /// The default maximum delay.
  package static let capSeconds: Int64 = 3_600

  /// Returns how many seconds to wait from `now`, 0 for a date in the past, at most `cap`; nil if the value is invalid.
  package static func delaySeconds(
    _ value: String, now: Instant, cap: Int64 = capSeconds
  ) -> Int64? {
    var bytes = Array(value.utf8.drop(while: isSpace))
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    if let first = bytes.first, isDigit(first) { return seconds(bytes, cap) }
    guard let date = HTTPDate.parse(bytes, now: now) else { return nil }
    // Both are whole seconds: ignoring the fraction of the current second only makes the delay longer.
    return min(max(date.seconds - now.seconds, 0), cap)
  }

  private static func seconds(_ digits: [UInt8], _ cap: Int64) -> Int64? {
    guard digits.allSatisfy(isDigit) else { return nil }
    var value: Int64 = 0
    for digit in digits where value <= cap {
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return min(value, cap)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension HTTPResponse {
  /// Whether the status says that the server can serve nobody now: 408, 429 or 5xx.
  package var isOutage: Bool { status == 408 || status == 429 || (500...599).contains(status) }

  /// Returns the pause that the answer requests, in seconds, at most `cap`; nil without a valid `Retry-After`.
  package func retryAfterSeconds(now: Instant, cap: Int64 = RetryAfter.capSeconds) -> Int64? {
    headers["Retry-After"].flatMap { RetryAfter.delaySeconds($0, now: now, cap: cap) }
  }
}
