import CivilTime
import Digests

extension LineWriter {
  mutating func field(_ name: StaticString, _ value: String) {
    self.name(name)
    string(value)
  }

  mutating func field(_ name: StaticString, _ value: Int64) {
    self.name(name)
    integer(value)
  }

  mutating func field(_ name: StaticString, _ value: Int) { field(name, Int64(value)) }

  mutating func field(_ name: StaticString, _ value: Int32) { field(name, Int64(value)) }

  mutating func field(_ name: StaticString, _ value: UInt64) {
    self.name(name)
    natural(value)
  }

  mutating func field(_ name: StaticString, _ value: Instant) {
    self.name(name)
    instant(value)
  }

  mutating func field(_ name: StaticString, _ value: Day) {
    self.name(name)
    day(value)
  }

  mutating func field(_ name: StaticString, _ value: Digest) { field(name, value.description) }

  mutating func field(_ name: StaticString, _ values: [String]) {
    self.name(name)
    raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { raw(",") }
      string(value)
    }
    raw("]")
  }

  mutating func field(_ name: StaticString, _ values: [UInt64]) {
    self.name(name)
    raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { raw(",") }
      natural(value)
    }
    raw("]")
  }

  /// Writes a text when there is one.
  mutating func optional(_ name: StaticString, _ value: String?) {
    if let value { field(name, value) }
  }

  /// Writes a day when there is one.
  mutating func optional(_ name: StaticString, _ value: Day?) {
    if let value { field(name, value) }
  }

  /// Writes `true` when it is so.
  mutating func flag(_ name: StaticString, _ value: Bool) {
    guard value else { return }
    self.name(name)
    raw("true")
  }

  /// Writes an array with one object per element.
  mutating func objects<Element>(
    _ name: StaticString, _ elements: [Element], _ members: (inout LineWriter, Element) -> Void
  ) {
    self.name(name)
    raw("[")
    for (index, element) in elements.enumerated() {
      raw(index > 0 ? ",{" : "{")
      members(&self, element)
      raw("}")
    }
    raw("]")
  }

  /// Writes an object that `members` fills.
  mutating func object(_ name: StaticString, _ members: (inout LineWriter) -> Void) {
    self.name(name)
    raw("{")
    members(&self)
    raw("}")
  }
}
