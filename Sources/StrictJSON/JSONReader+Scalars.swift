extension JSONReader {
  /// Reads a string with its escapes resolved.
  public mutating func readString() throws(JSONError) -> String {
    skipSpace()
    let content = try readStringContent()
    return try JSONKey(bytes: bytes, content: content).text()
  }

  /// Reads a string and returns the range of its bytes as they stand between the quotes.
  ///
  /// Throws when the string holds an escape: use it for values that never need one (instants, ids, hashes).
  public mutating func readPlainString() throws(JSONError) -> Range<Int> {
    skipSpace()
    let content = try readStringContent()
    if content.hasEscape {
      throw JSONError(offset: content.range.lowerBound, what: "unexpected escape")
    }
    return content.range
  }

  /// Reads a number and returns the range of its bytes.
  public mutating func readNumberText() throws(JSONError) -> Range<Int> {
    skipSpace()
    return try readNumberContent()
  }

  /// Reads a whole number; throws on a fraction, an exponent or a value outside 64 bits.
  public mutating func readInt() throws(JSONError) -> Int64 {
    skipSpace()
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

  /// The bytes at `range`, which some `read…` returned.
  public func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }

  /// Finds the end of the string that begins at the next byte, checking escapes and control characters.
  mutating func readStringContent() throws(JSONError) -> JSONStringContent {
    guard byte == UInt8(ascii: "\"") else { throw error("expected a string") }
    offset += 1
    let start = offset
    var hasEscape = false
    var isASCII = true
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

  mutating func readNumberContent() throws(JSONError) -> Range<Int> {
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
}

extension UInt8 {
  var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
