/// A cursor over the text of an instant. Each step reads one part or throws if it does not fit.
struct InstantScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// Whether the time of day just read has the second 60.
  private(set) var isLeapSecond = false

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// Reads the date, separator and time of day, as seconds since 1970 on a clock that never changes.
  mutating func localTime() throws(InstantTextError) -> Int64 {
    let year = try number(digits: 4)
    try skip("-")
    let month = try number(digits: 2)
    try skip("-")
    let dayOfMonth = try number(digits: 2)
    let isZeroDate = year == 0 && month == 0 && dayOfMonth == 0
    if isZeroDate, isAtEnd { throw .zeroDate }
    guard let separator = next, separator | 0x20 == UInt8(ascii: "t") || separator == 0x20 else {
      throw expected("T or a space")
    }
    position += 1
    let second = try timeOfDay()
    guard let day = Day(year: year, month: month, day: dayOfMonth) else {
      if isZeroDate, second == 0, isZeroTail { throw .zeroDate }
      throw .nonexistent(column: 1, rule: "write a date of the years 0001 to 9999")
    }
    return Int64(day.number) * 86_400 + Int64(second)
  }

  /// Reads the digits after the point, in units of 10⁻¹⁸; 0 if there is no point.
  mutating func fraction() throws(InstantTextError) -> Int64 {
    guard next == UInt8(ascii: ".") else { return 0 }
    position += 1
    var value: Int64 = 0
    var missing = 18
    while let byte = next, let digit = Self.digit(byte) {
      guard missing > 0 else { throw expected("at most 18 digits after the point") }
      value = value * 10 + Int64(digit)
      missing -= 1
      position += 1
    }
    guard missing < 18 else { throw expected("a digit") }
    if missing >= 9 {
      value *= 1_000_000_000
      missing -= 9
    }
    for _ in 0..<missing { value *= 10 }
    return value
  }

  /// Reads the offset in seconds ahead of UTC; nil if nothing follows.
  mutating func offset() throws(InstantTextError) -> Int64? {
    guard let sign = next else { return nil }
    if sign | 0x20 == UInt8(ascii: "z") {
      position += 1
      return 0
    }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      throw expected("Z, an offset as +09:00, or the end of the text")
    }
    position += 1
    let column = position + 1
    let hours = try number(digits: 2)
    try skip(":")
    let minutes = try number(digits: 2)
    guard hours < 24, minutes < 60 else {
      throw .nonexistent(column: column, rule: "offsets reach from -23:59 to +23:59")
    }
    let magnitude = Int64(hours * 3_600 + minutes * 60)
    return sign == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  /// Returns the error for a missing `what` at this position.
  func expected(_ what: String) -> InstantTextError {
    .malformed(column: position + 1, expected: what)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Whether only zeros of a fraction and a `Z` remain.
  private var isZeroTail: Bool {
    bytes[position...].allSatisfy { ".0Zz".utf8.contains($0) }
  }

  private mutating func timeOfDay() throws(InstantTextError) -> Int {
    let column = position + 1
    let hour = try number(digits: 2)
    try skip(":")
    let minute = try number(digits: 2)
    try skip(":")
    let second = try number(digits: 2)
    isLeapSecond = second == 60 && minute == 59
    guard hour < 24, minute < 60, second < 60 || isLeapSecond else {
      throw .nonexistent(column: column, rule: "times reach from 00:00:00 to 23:59:59")
    }
    return hour * 3_600 + minute * 60 + second
  }

  private mutating func number(digits: Int) throws(InstantTextError) -> Int {
    var value = 0
    for _ in 0..<digits {
      guard let byte = next, let digit = Self.digit(byte) else { throw expected("a digit") }
      value = value * 10 + digit
      position += 1
    }
    return value
  }

  private mutating func skip(_ character: Unicode.Scalar) throws(InstantTextError) {
    guard next == UInt8(ascii: character) else { throw expected("\"\(character)\"") }
    position += 1
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}
