// The members are documented by the protocols that require them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CivilTime
public import Digests

extension LineWriter: ValueCoder {
  /// Never throws; ``problem`` notes what cannot be written.
  public typealias Failure = Never

  @inlinable
  public mutating func integer<Number: FixedWidthInteger>(_ value: Number?) -> Number {
    let value = value ?? 0
    if value < 0 { raw("-") }
    natural(UInt64(truncatingIfNeeded: value.magnitude))
    return value
  }

  @inlinable
  public mutating func bool(_ value: Bool?) -> Bool {
    let value = value ?? false
    raw(value ? "true" : "false")
    return value
  }

  @inlinable
  public mutating func text(_ value: consuming String?) -> String {
    let value = value ?? ""
    string(value)
    return value
  }

  @inlinable
  public mutating func instant(_ value: Instant?) -> Instant {
    let value = value ?? .earliest
    instant(value, fraction: .asNeeded)
    return value
  }

  @inlinable
  public mutating func day(_ value: Day?) -> Day {
    let value = value ?? Day(number: 0)
    date(value)
    return value
  }

  @inlinable
  public mutating func digest(_ value: Digest?) -> Digest {
    let value = value ?? .zero
    string(value.description)
    return value
  }

  @inlinable
  public mutating func document(_ value: consuming String?) -> String {
    let value = value ?? "{}"
    json(value)
    return value
  }

  @inlinable
  public mutating func word<Value: Word>(_ value: consuming Value?) -> Value {
    let value = value ?? .first
    string(value.word)
    return value
  }

  @inlinable
  public mutating func list<Element: Described>(_ value: consuming [Element]?) -> [Element] {
    let value = value ?? []
    raw("[")
    for index in value.indices {
      if index > 0 { raw(",") }
      _ = Element.code(value[index], with: &self)
    }
    raw("]")
    return value
  }

  @inlinable
  public mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) -> [(name: String, value: Value)] {
    let rows = rows ?? []
    raw("{")
    for row in rows {
      dynamicName(row.name)
      _ = Value.code(row.value, with: &self)
    }
    raw("}")
    return rows
  }

  @inlinable
  public mutating func object<Object: DescribedObject>(_ value: consuming Object?) -> Object {
    let value = value ?? .blank
    raw("{")
    writeFields(of: value)
    raw("}")
    return value
  }

  /// Writes a member of an object.
  @inlinable
  public mutating func member(_ name: StaticString, _ value: some Described) {
    _ = field(name, value)
  }

  /// Writes an object's fields without its braces.
  @inlinable
  public mutating func writeFields<Object: DescribedObject>(of object: Object) {
    withUnsafePointer(to: object) { _ = Object(&self, $0) }
  }
}

extension LineWriter: FieldCoder {
  @inlinable
  public mutating func field<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value
  {
    self.name(name)
    return Value.code(value, with: &self)
  }

  @inlinable
  public mutating func optional<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value?
  {
    guard let value else { return nil }
    return field(name, value) as Value
  }

  @inlinable
  public mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) -> Value {
    guard let value, value != usual else { return usual }
    return field(name, value)
  }

  @inlinable
  public mutating func nullable<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value?
  {
    self.name(name)
    guard let value else {
      raw("null")
      return nil
    }
    return Value.code(value, with: &self)
  }
}

extension DescribedObject {
  /// The object as JSON on one line, without a line end. Its instants and days must lie in the years 1 to 9999.
  public var json: [UInt8] {
    var line = LineWriter()
    _ = line.object(self)
    return Array(line.bytes)
  }

  /// The same with a line end.
  public var jsonLine: [UInt8] { json + [UInt8(ascii: "\n")] }
}
