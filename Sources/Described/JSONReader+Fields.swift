public import CivilTime
public import Digests
public import StrictJSON

extension JSONReader {
  /// Reads an instant exactly as ``LineWriter`` writes it.
  public mutating func readInstant() throws(JSONError) -> Instant {
    let range = try readPlainString()
    guard let instant = LineInstant.instant(slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected an instant, RFC 3339 in UTC")
    }
    return instant
  }

  /// Reads a date, `YYYY-MM-DD`.
  public mutating func readDay() throws(JSONError) -> Day {
    let range = try readPlainString()
    guard let day = LineInstant.day(slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected a day, YYYY-MM-DD")
    }
    return day
  }

  /// Reads a hash of 64 lower-case hex digits.
  public mutating func readDigest() throws(JSONError) -> Digest {
    let range = try readPlainString()
    guard let digest = Digest(hex: slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected 64 lower-case hex digits")
    }
    return digest
  }

  /// Reads a whole number that fits the narrower type.
  @inlinable
  public mutating func readInteger<Number: FixedWidthInteger>(
    as type: Number.Type = Number.self
  ) throws(JSONError) -> Number {
    let start = offset
    guard let number = Number(exactly: try readInt()) else {
      throw JSONError(offset: start, what: "the number is out of range")
    }
    return number
  }

  /// Reads a string and returns the range of the bytes between its quotes, with escapes unresolved.
  public mutating func readRawString() throws(JSONError) -> Range<Int> {
    guard try peek() == .string else { throw error("expected a string") }
    let start = offset + 1
    try skipValue()
    return start..<offset - 1
  }

  /// Skips the next value and returns its exact text.
  public mutating func readJSONText() throws(JSONError) -> String {
    _ = try peek()
    let start = offset
    try skipValue()
    return String(decoding: slice(start..<offset), as: UTF8.self)
  }
}
