/// A byte-by-byte scanner that finds where the scalars of one JSON text end, without decoding them.
@usableFromInline
struct JSONScanner {
  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next unread byte.
  @usableFromInline var offset = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  @inline(__always)
  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  @inline(__always)
  mutating func consume(_ wanted: UInt8) -> Bool {
    skipSpace()
    guard byte == wanted else { return false }
    offset += 1
    return true
  }

  @inline(__always)
  mutating func skipSpace() {
    while let next = byte, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 {
      offset += 1
    }
  }

  /// Creates an error at the next unread byte.
  func error(_ what: String) -> JSONError { JSONError(offset: offset, what: what) }

  /// Returns the bytes at `range`.
  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }

  /// Finds the end of the string that begins at the next byte, checking its escapes and control characters.
  mutating func stringContent() throws(JSONError) -> JSONStringContent {
    guard byte == UInt8(ascii: "\"") else { throw error("expected a string") }
    offset += 1
    let start = offset
    var hasEscape = false
    var isASCII = true
    skipPlainText()
    while let next = byte {
      if next == UInt8(ascii: "\"") {
        let range = start..<offset
        offset += 1
        if !isASCII, String(validating: slice(range), as: UTF8.self) == nil {
          throw JSONError(offset: start, what: "a string is not UTF-8")
        }
        return JSONStringContent(range: range, hasEscape: hasEscape)
      }
      if next < 0x20 { throw error("a control character in a string must be escaped") }
      if next >= 0x80 { isASCII = false }
      offset += 1
      if next == UInt8(ascii: "\\") {
        hasEscape = true
        try skipEscape()
      }
    }
    throw error("a string does not end")
  }

  /// Skips bytes that need no individual check, eight at a time: ASCII without quotes, backslashes and control characters.
  @inline(__always)
  private mutating func skipPlainText() {
    let raw = UnsafeRawBufferPointer(bytes)
    while offset + 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      // Has the high bit of each special byte set; above the lowest of them, a carry may set others.
      let special =
        (Self.zeros(word ^ Self.each(UInt8(ascii: "\"")))
          | Self.zeros(word ^ Self.each(UInt8(ascii: "\\")))
          | (word &- Self.each(0x20)) & ~word | word) & Self.each(0x80)
      if special != 0 {
        offset += special.trailingZeroBitCount / 8
        return
      }
      offset += 8
    }
  }

  /// Returns a word of eight copies of `byte`.
  @inline(__always)
  private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Returns a word with the high bit set for the lowest zero byte of `word`, and perhaps for others above it.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- each(1)) & ~word }

  private mutating func skipEscape() throws(JSONError) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      offset += 1
      for _ in 0..<4 {
        guard let digit = byte, digit.isHexDigit else { throw error("expected four hex digits") }
        offset += 1
      }
    default: throw error("unknown escape")
    }
  }

  /// Skips `"name":`, preceded by a comma unless `isFirst`, if exactly these bytes come next; returns whether they did.
  @inline(__always)
  mutating func consumeName(_ name: StaticString, isFirst: Bool) -> Bool {
    let start = offset + (isFirst ? 1 : 2)
    let end = start + name.utf8CodeUnitCount
    guard end + 2 <= bytes.count, isFirst || bytes[offset] == UInt8(ascii: ","),
      bytes[start - 1] == UInt8(ascii: "\""), stands(name, at: start),
      bytes[end] == UInt8(ascii: "\""), bytes[end + 1] == UInt8(ascii: ":")
    else { return false }
    offset = end + 2
    return true
  }

  /// Returns whether `text` is at `start`. There must be enough bytes.
  @inline(__always)
  private func stands(_ text: StaticString, at start: Int) -> Bool {
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Finds the end of the number that begins at the next byte.
  mutating func numberContent() throws(JSONError) -> Range<Int> {
    let start = offset
    if byte == UInt8(ascii: "-") { offset += 1 }
    if byte == UInt8(ascii: "0") {
      offset += 1
    } else {
      try skipDigits()
    }
    if byte == UInt8(ascii: ".") {
      offset += 1
      try skipDigits()
    }
    if let next = byte, next | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
      try skipDigits()
    }
    return start..<offset
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = offset
    while let next = byte, next >= UInt8(ascii: "0"), next <= UInt8(ascii: "9") { offset += 1 }
    if offset == start { throw error("expected a digit") }
  }

  /// Reads the whole number that begins at the next byte. Throws on a fraction, an exponent or a value outside 64 bits.
  mutating func integer() throws(JSONError) -> Int64 {
    let start = offset
    let negative = byte == UInt8(ascii: "-")
    if negative { offset += 1 }
    var value: Int64 = 0
    let firstDigit = offset
    while let next = byte, next >= UInt8(ascii: "0"), next <= UInt8(ascii: "9") {
      let digit = Int64(next &- UInt8(ascii: "0"))
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        negative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry {
        throw JSONError(offset: start, what: "the number does not fit 64 bits")
      }
      value = sum
      offset += 1
    }
    if offset == firstDigit { throw JSONError(offset: start, what: "expected a whole number") }
    if bytes[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
      throw JSONError(offset: start, what: "a number must not begin with 0")
    }
    if let next = byte, next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") {
      throw JSONError(offset: start, what: "expected a whole number")
    }
    return value
  }

  /// Skips `word`, which must come next.
  mutating func word(_ word: StaticString) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    guard offset + length <= bytes.count, stands(word, at: offset) else {
      throw error("expected \(word)")
    }
    offset += length
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
