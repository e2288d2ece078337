import CivilTime
import Digests
import StrictJSON

extension JSONReader {
  mutating func readInstant() throws(JSONError) -> Instant {
    let range = try readPlainString()
    guard let instant = LineInstant.instant(slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected an instant, RFC 3339 in UTC")
    }
    return instant
  }

  mutating func readDay() throws(JSONError) -> Day {
    let range = try readPlainString()
    guard let day = LineInstant.day(slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected a day, YYYY-MM-DD")
    }
    return day
  }

  mutating func readDigest() throws(JSONError) -> Digest {
    let range = try readPlainString()
    guard let digest = Digest(hex: slice(range)) else {
      throw JSONError(offset: range.lowerBound, what: "expected 64 lower-case hex digits")
    }
    return digest
  }

  /// Reads a whole number that the narrower type holds.
  mutating func readInteger<Number: FixedWidthInteger>(
    as type: Number.Type = Number.self
  ) throws(JSONError) -> Number {
    let start = offset
    guard let number = Number(exactly: try readInt()) else {
      throw JSONError(offset: start, what: "the number is out of range")
    }
    return number
  }

  /// Reads one of the words that `make` knows.
  mutating func readWord<Word>(
    _ what: StaticString, _ make: (String) -> Word?
  ) throws(JSONError) -> Word {
    let start = offset
    guard let word = make(try readString()) else {
      throw JSONError(offset: start, what: "this is no \(what)")
    }
    return word
  }

  /// Reads a string and returns the range of its bytes between the quotes, escapes unresolved.
  mutating func readRawString() throws(JSONError) -> Range<Int> {
    guard try peek() == .string else { throw error("expected a string") }
    let start = offset + 1
    try skipValue()
    return start..<offset - 1
  }

  mutating func readStrings() throws(JSONError) -> [String] {
    try readElements { (reader) throws(JSONError) in try reader.readString() }
  }

  mutating func readElements<Element>(
    _ read: (inout JSONReader) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    try readArray { (reader) throws(JSONError) in elements.append(try read(&reader)) }
    return elements
  }

  /// Passes over the value that stands next and returns its text as it stands.
  mutating func readJSONText() throws(JSONError) -> String {
    _ = try peek()
    let start = offset
    try skipValue()
    return String(decoding: slice(start..<offset), as: UTF8.self)
  }

  /// Reads an array of sequence numbers.
  mutating func readSeqs() throws(JSONError) -> [UInt64] {
    try readElements { (reader) throws(JSONError) in try reader.readInteger() }
  }

  /// The value, or an error that names the field that is missing.
  func require<Value>(_ value: Value?, _ name: StaticString) throws(JSONError) -> Value {
    guard let value else { throw error("the field \"\(name)\" is missing") }
    return value
  }
}
