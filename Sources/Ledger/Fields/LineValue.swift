internal import CivilTime
internal import Digests
internal import Evidence
internal import StrictJSON

/// A value that can stand in a line of the ledger.
protocol LineValue {
  /// What is read into.
  static var blank: Self { get }
  /// What kind of JSON value it is, for a schema.
  static var shape: JSONShape { get }
  func write(to line: inout LineWriter)
  /// Reads the value that stands next.
  static func read(from json: inout JSONReader) throws(JSONError) -> Self
}

/// A value that is one of some words.
protocol LineWord: LineValue, CaseIterable {
  /// What it is, for errors.
  static var noun: StaticString { get }
  var word: String { get }
}

extension LineWord {
  static var shape: JSONShape { .words(allCases.map(\.word)) }
  func write(to line: inout LineWriter) { line.string(word) }
  static func read(from json: inout JSONReader) throws(JSONError) -> Self {
    let start = json.offset
    let text = try json.readString()
    guard let value = allCases.first(where: { $0.word == text }) else {
      throw JSONError(offset: start, what: "this is no \(noun)")
    }
    return value
  }
}

extension LineWord where Self: RawRepresentable, RawValue == String {
  var word: String { rawValue }
}

extension ActivityKind: LineWord {
  static var blank: ActivityKind { .comment }
  static var noun: StaticString { "kind of activity" }
  var word: String { name }
}

extension Source: LineWord {
  static var blank: Source { .inbox }
  static var noun: StaticString { "source" }
  var word: String { name }
}

extension String: LineValue {
  static var blank: String { "" }
  static var shape: JSONShape { .text(.text) }
  func write(to line: inout LineWriter) { line.string(self) }
  static func read(from json: inout JSONReader) throws(JSONError) -> String {
    try json.readString()
  }
}

extension Bool: LineValue {
  static var blank: Bool { false }
  static var shape: JSONShape { .bool }
  func write(to line: inout LineWriter) { line.raw(self ? "true" : "false") }
  static func read(from json: inout JSONReader) throws(JSONError) -> Bool { try json.readBool() }
}

extension LineValue where Self: FixedWidthInteger {
  static var blank: Self { 0 }
  static var shape: JSONShape { .integer(nil) }
  static func read(from json: inout JSONReader) throws(JSONError) -> Self {
    let start = json.offset
    guard let number = Self(exactly: try json.readInt()) else {
      throw JSONError(offset: start, what: "the number is out of range")
    }
    return number
  }
}

extension LineValue where Self: FixedWidthInteger & SignedInteger {
  func write(to line: inout LineWriter) { line.integer(Int64(self)) }
}

extension Int64: LineValue {}
extension Int32: LineValue {}
extension Int: LineValue {}
extension UInt64: LineValue {
  func write(to line: inout LineWriter) { line.natural(self) }
}

extension Instant: LineValue {
  static var blank: Instant { .earliest }
  static var shape: JSONShape { .text(.instant) }
  func write(to line: inout LineWriter) { line.instant(self) }
  static func read(from json: inout JSONReader) throws(JSONError) -> Instant {
    try json.readInstant()
  }
}

extension Day: LineValue {
  static var blank: Day { Day(number: 0) }
  static var shape: JSONShape { .text(.day) }
  func write(to line: inout LineWriter) { line.day(self) }
  static func read(from json: inout JSONReader) throws(JSONError) -> Day { try json.readDay() }
}

extension Digest: LineValue {
  static var blank: Digest { .zero }
  static var shape: JSONShape { .text(.hash) }
  func write(to line: inout LineWriter) { line.string(description) }
  static func read(from json: inout JSONReader) throws(JSONError) -> Digest {
    try json.readDigest()
  }
}

extension Array: LineValue where Element: LineValue {
  static var blank: [Element] { [] }
  static var shape: JSONShape { .list(Element.shape, count: nil) }
  func write(to line: inout LineWriter) {
    line.raw("[")
    for index in indices {
      if index > 0 { line.raw(",") }
      self[index].write(to: &line)
    }
    line.raw("]")
  }
  static func read(from json: inout JSONReader) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    try json.readArray { (json) throws(JSONError) in elements.append(try Element.read(from: &json))
    }
    return elements
  }
}

/// A document that stands in a line as it is.
struct JSONText: LineValue {
  var text: String
  static var blank: JSONText { JSONText(text: "{}") }
  static var shape: JSONShape { .map(.any) }
  func write(to line: inout LineWriter) { line.json(text) }
  static func read(from json: inout JSONReader) throws(JSONError) -> JSONText {
    JSONText(text: try json.readJSONText())
  }
}

/// Figures by name, in an order of their own.
struct Figures: LineValue {
  var counts: [RunCount]
  static var blank: Figures { Figures(counts: []) }
  static var shape: JSONShape { .map(.integer(nil)) }
  func write(to line: inout LineWriter) {
    line.raw("{")
    for count in counts {
      line.dynamicName(count.name)
      line.integer(count.value)
    }
    line.raw("}")
  }
  static func read(from json: inout JSONReader) throws(JSONError) -> Figures {
    var counts: [RunCount] = []
    try json.readObject { (json, name) throws(JSONError) in
      counts.append(RunCount(name: try name.text(), value: try json.readInt()))
    }
    return Figures(counts: counts)
  }
}
