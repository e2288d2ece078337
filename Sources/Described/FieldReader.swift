// The members are documented by the protocols that require them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CivilTime
public import Digests
public import StrictJSON

extension JSONReader: ValueCoder {
  /// Reading fails with the place of the error.
  public typealias Failure = JSONError

  @inlinable
  public mutating func integer<Number: FixedWidthInteger>(
    _ value: Number?
  ) throws(JSONError) -> Number { try readInteger() }

  @inlinable
  public mutating func bool(_ value: Bool?) throws(JSONError) -> Bool { try readBool() }
  @inlinable
  public mutating func text(_ value: consuming String?) throws(JSONError) -> String {
    try readString()
  }
  @inlinable
  public mutating func instant(_ value: Instant?) throws(JSONError) -> Instant { try readInstant() }
  @inlinable
  public mutating func day(_ value: Day?) throws(JSONError) -> Day { try readDay() }
  @inlinable
  public mutating func digest(_ value: Digest?) throws(JSONError) -> Digest { try readDigest() }
  @inlinable
  public mutating func document(_ value: consuming String?) throws(JSONError) -> String {
    try readJSONText()
  }

  @inlinable
  public mutating func word<Value: Word>(_ value: consuming Value?) throws(JSONError) -> Value {
    let start = offset
    let text = try readString()
    guard let value = Value.allCases.first(where: { $0.word == text }) else {
      throw JSONError(offset: start, what: "this is no \(Value.noun)")
    }
    return value
  }

  @inlinable
  public mutating func list<Element: Described>(
    _ value: consuming [Element]?
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    try readArray { (json) throws(JSONError) in
      elements.append(try Element.code(nil, with: &json))
    }
    return elements
  }

  @inlinable
  public mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) throws(JSONError) -> [(name: String, value: Value)] {
    var rows: [(name: String, value: Value)] = []
    try readObject { (json, name) throws(JSONError) in
      rows.append((try name.text(), try Value.code(nil, with: &json)))
    }
    return rows
  }

  @inlinable
  public mutating func object<Object: DescribedObject>(
    _ value: consuming Object?
  ) throws(JSONError) -> Object { try readObject(behindFrame: nil) }

  /// Reads the next object; `frame`, if any, is a reader in it just past the frame of a line.
  @inlinable
  public mutating func readObject<Object: DescribedObject>(
    behindFrame frame: JSONReader?
  ) throws(JSONError) -> Object {
    do throws(FieldReader.Failure) {
      var fields = try FieldReader(self, behindFrame: frame)
      let object = try Object(&fields, nil)
      self = try fields.finish()
      return object
    } catch {
      if let cause = error.cause { throw cause }
    }
    // The fields are in another order, or one is missing or unknown, so each is looked up by name.
    var table = try FieldTable(&self)
    return try Object(&table, nil)
  }
}

extension DescribedObject {
  /// Reads an object that is all of `text`, ignoring unknown fields.
  public init(json text: [UInt8]) throws(JSONError) {
    self = try text.withUnsafeBufferPointer { (text) throws(JSONError) in
      var reader = JSONReader(text)
      let object = try Self.code(nil, with: &reader)
      try reader.finish()
      return object
    }
  }
}

/// A reader of an object whose fields are exactly as this program writes them: in the described order, with nothing between.
@usableFromInline
struct FieldReader: FieldCoder {
  /// The reason why reading ended before the object did.
  @usableFromInline
  struct Failure: Error {
    /// What is wrong with a field's value; nil if only the layout of the fields differs.
    @usableFromInline let cause: JSONError?

    @inlinable init(cause: JSONError?) { self.cause = cause }
  }

  @usableFromInline var json: JSONReader
  @usableFromInline var isFirst: Bool

  /// Creates a reader of the next object in `json`, or of the rest of one if `frame` is past the frame of a line.
  @inlinable
  init(_ json: JSONReader, behindFrame frame: JSONReader?) throws(Failure) {
    self.json = frame ?? json
    isFirst = frame == nil
    if frame == nil {
      do { try self.json.beginObject() } catch { throw Failure(cause: error) }
    }
  }

  /// Returns a reader just past the object, whose fields must all have been read.
  @inlinable
  consuming func finish() throws(Failure) -> JSONReader {
    guard json.consumeEnd() else { throw Failure(cause: nil) }
    return json
  }

  @inlinable
  mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value {
    guard stands(name) else { throw Failure(cause: nil) }
    return try readValue()
  }

  @inlinable
  mutating func optional<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? { stands(name) ? try readValue() : nil }

  @inlinable
  mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) throws(Failure) -> Value { stands(name) ? try readValue() : usual }

  @inlinable
  mutating func nullable<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? {
    guard stands(name) else { return nil }
    do {
      if try json.readNull() { return nil }
    } catch {
      throw Failure(cause: error)
    }
    return try readValue()
  }

  /// Returns whether the field `name` comes next. If so, read its value.
  @inlinable
  mutating func stands(_ name: StaticString) -> Bool {
    guard json.consumeKey(name, isFirst: isFirst) else { return false }
    isFirst = false
    return true
  }

  @inlinable
  mutating func readValue<Value: Described>() throws(Failure) -> Value {
    do {
      return try Value.code(nil, with: &json)
    } catch {
      throw Failure(cause: error)
    }
  }
}

/// A lookup of an object's fields by name, in any order. Ignores unknown fields.
@usableFromInline
struct FieldTable: FieldCoder {
  private let members: [(key: JSONKey, value: JSONReader)]
  private let end: JSONReader

  /// Reads the next object. Throws if two members have the same name, since readers could pick either.
  @usableFromInline
  init(_ json: inout JSONReader) throws(JSONError) {
    var members: [(key: JSONKey, value: JSONReader)] = []
    var names: Set<String> = []
    try json.readObject { (json, key) throws(JSONError) in
      let name = try key.text()
      guard names.insert(name).inserted else { throw .twice(name, at: key.offset) }
      members.append((key, json))
      try json.skipValue()
    }
    self.members = members
    end = json
  }

  @inlinable
  mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(JSONError) -> Value {
    guard let value: Value = try optional(name, nil) else {
      throw missing(name)
    }
    return value
  }

  @inlinable
  mutating func optional<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(JSONError) -> Value? {
    guard var json = reader(of: name) else { return nil }
    return try Value.code(nil, with: &json)
  }

  @inlinable
  mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) throws(JSONError) -> Value { try optional(name, nil) ?? usual }

  @inlinable
  mutating func nullable<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(JSONError) -> Value? {
    guard var json = reader(of: name), try !json.readNull() else { return nil }
    return try Value.code(nil, with: &json)
  }

  @usableFromInline
  func missing(_ name: StaticString) -> JSONError {
    end.error("the field \"\(name)\" is missing")
  }

  @usableFromInline
  func reader(of name: StaticString) -> JSONReader? {
    members.first { name ~= $0.key }?.value
  }
}

extension JSONError {
  /// Returns the error for a field that occurs twice in an object.
  public static func twice(_ name: String, at offset: Int) -> JSONError {
    JSONError(offset: offset, what: "the field \"\(name)\" stands twice")
  }
}
