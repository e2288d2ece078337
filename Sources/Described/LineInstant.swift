public import CivilTime

/// A parser of days and instants exactly as ``LineWriter`` writes them, and in no other form.
public enum LineInstant {
  /// Parses a date `YYYY-MM-DD`; nil for anything else.
  public static func day(_ text: UnsafeBufferPointer<UInt8>) -> Day? {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else {
      return nil
    }
    let century = pair(text, 0)
    let year = pair(text, 2)
    let month = pair(text, 5)
    let day = pair(text, 8)
    guard max(century, year, month, day) < 100 else { return nil }
    return Day(year: century * 100 + year, month: month, day: day)
  }

  /// Parses an instant `YYYY-MM-DDTHH:MM:SS[.fraction]Z` with 1 to 9 fractional digits; nil for anything else.
  public static func instant(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
    guard text.count >= 20, text.count <= 30, text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[text.count - 1] == UInt8(ascii: "Z"),
      let day = day(UnsafeBufferPointer(rebasing: text[0..<10])),
      let nanoseconds = nanoseconds(text)
    else { return nil }
    let hour = pair(text, 11)
    let minute = pair(text, 14)
    let second = pair(text, 17)
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let seconds = Int64(day.number) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    return Instant(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Returns the value of `.fraction` before the last byte; 0 without one.
  private static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int32? {
    if text.count == 20 { return 0 }
    guard text[19] == UInt8(ascii: "."), text.count > 21 else { return nil }
    var value: Int32 = 0
    for index in 20..<text.count - 1 {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int32(digit)
    }
    for _ in text.count..<30 { value *= 10 }
    return value
  }

  /// Returns the number with these two digits, or at least 100 if they are not digits.
  @inline(__always)
  private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
    let high = text[index] &- UInt8(ascii: "0")
    let low = text[index + 1] &- UInt8(ascii: "0")
    return high < 10 && low < 10 ? Int(high) * 10 + Int(low) : 100
  }
}
