// The members are documented by the protocols that require them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CivilTime
public import Digests

/// A medium of values one after another without names: whole numbers in groups of seven bits, with small ones of
/// either sign in one byte, and texts preceded by their length.
public protocol BinaryCoder: ValueCoder, FieldCoder {
  /// Throws when reading. A writer does nothing, since its values are already valid.
  func refuse(_ what: String) throws(Failure)
}

/// The reason why bytes hold no usable value.
public struct BinaryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The place and the cause.
  public let description: String

  /// Creates an error.
  public init(description: String) { self.description = description }
}

extension BinaryCoder {
  @inlinable
  public mutating func bool(_ value: Bool?) throws(Failure) -> Bool {
    try integer(value.map { $0 ? 1 : 0 }) as Int64 != 0
  }

  @inlinable
  public mutating func instant(_ value: Instant?) throws(Failure) -> Instant {
    // Most instants are whole seconds, so the lowest bit says whether nanoseconds follow.
    let head: Int64 = try integer(value.map { $0.seconds << 1 | ($0.nanoseconds == 0 ? 0 : 1) })
    let nanoseconds: Int32 = head & 1 == 0 ? 0 : try integer(value?.nanoseconds)
    if !(0..<1_000_000_000).contains(nanoseconds) { try refuse("an instant is none") }
    return Instant(seconds: head >> 1, nanoseconds: nanoseconds)
  }

  @inlinable
  public mutating func day(_ value: Day?) throws(Failure) -> Day {
    Day(number: try integer(value?.number))
  }

  @inlinable
  public mutating func digest(_ value: Digest?) throws(Failure) -> Digest {
    let text = try text(value?.description)
    guard let digest = Digest(hex: text) else {
      try refuse("a hash is none")
      return .zero
    }
    return digest
  }

  @inlinable
  public mutating func document(_ value: consuming String?) throws(Failure) -> String {
    try text(value)
  }

  @inlinable
  public mutating func word<Value: Word>(_ value: consuming Value?) throws(Failure) -> Value {
    let text = try text(value?.word)
    guard let value = value ?? Value.allCases.first(where: { $0.word == text }) else {
      try refuse("\"\(text)\" is no \(Value.noun)")
      return .first
    }
    return value
  }

  @inlinable
  public mutating func numbered<Value: NumberedWord>(_ value: consuming Value?) throws(Failure)
    -> Value
  {
    let number = try integer(value?.rawValue)
    guard let value = Value(rawValue: number) else {
      try refuse("\(number) is no \(Value.noun)")
      return .first
    }
    return value
  }

  @inlinable
  public mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value { try Value.code(value, with: &self) }

  @inlinable
  public mutating func optional<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? {
    try bool(value != nil) ? try Value.code(value, with: &self) : nil
  }

  @inlinable
  public mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) throws(Failure) -> Value { try Value.code(value, with: &self) }

  @inlinable
  public mutating func nullable<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? { try optional(name, value) }
}

/// A writer that appends values to bytes.
public struct BinaryWriter: BinaryCoder {
  /// Writing cannot fail.
  public typealias Failure = Never

  @usableFromInline var written: [UInt8] = []
  /// The bytes written so far.
  @inlinable public var bytes: [UInt8] { written }

  /// Creates a writer with room for `count` bytes.
  public init(reserving count: Int = 0) { written.reserveCapacity(count) }

  /// Does nothing.
  @inlinable public func refuse(_ what: String) {}

  @inlinable
  public mutating func integer<Number: FixedWidthInteger>(_ value: Number?) -> Number {
    let value = value ?? 0
    VariableNumber.append(signed: Int64(truncatingIfNeeded: value), to: &written)
    return value
  }

  @inlinable
  public mutating func text(_ value: consuming String?) -> String {
    let value = value ?? ""
    _ = integer(value.utf8.count)
    written.append(contentsOf: value.utf8)
    return value
  }

  @inlinable
  public mutating func list<Element: Described>(_ value: consuming [Element]?) -> [Element] {
    let value = value ?? []
    _ = integer(value.count)
    for index in value.indices { _ = Element.code(value[index], with: &self) }
    return value
  }

  @inlinable
  public mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) -> [(name: String, value: Value)] {
    let rows = rows ?? []
    _ = integer(rows.count)
    for row in rows {
      _ = text(row.name)
      _ = Value.code(row.value, with: &self)
    }
    return rows
  }

  @inlinable
  public mutating func object<Object: DescribedObject>(_ value: consuming Object?) -> Object {
    withUnsafePointer(to: value ?? .blank) { Object(&self, $0) }
  }
}

/// A reader of values from bytes, which must outlive it.
public struct BinaryReader: BinaryCoder {
  /// Reading fails with a cause.
  public typealias Failure = BinaryError

  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline var next = 0
  /// The offset of the next unread byte.
  @inlinable public var offset: Int { next }

  /// Creates a reader of these bytes.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { next == bytes.count }

  /// Throws an error with this cause.
  public func refuse(_ what: String) throws(BinaryError) { throw BinaryError(description: what) }

  @inlinable
  public mutating func integer<Number: FixedWidthInteger>(
    _ value: Number?
  ) throws(BinaryError) -> Number {
    guard let number = VariableNumber.readSigned(bytes, &next, before: bytes.count) else {
      throw damage
    }
    return Number(truncatingIfNeeded: number)
  }

  @inlinable
  public mutating func text(_ value: consuming String?) throws(BinaryError) -> String {
    let count: Int = try integer(nil)
    guard count >= 0, count <= bytes.count - next else { throw damage }
    let text = UnsafeBufferPointer(rebasing: bytes[next..<next + count])
    guard let string = String(validating: text, as: UTF8.self) else { throw damage }
    next += count
    return string
  }

  /// Reads the number of elements in the list or table that comes next.
  @inlinable
  public mutating func count() throws(BinaryError) -> Int {
    let count: Int = try integer(nil)
    guard count >= 0 else { throw BinaryError(description: "a list has no length") }
    return count
  }

  @inlinable
  public mutating func list<Element: Described>(
    _ value: consuming [Element]?
  ) throws(BinaryError) -> [Element] {
    let count = try count()
    var elements: [Element] = []
    // Reserves no more than that, because there are many lists, and for a damaged length no more long elements than
    // the bytes can hold.
    elements.reserveCapacity(min(count, (bytes.count - next) / 40 + 2))
    for _ in 0..<count { elements.append(try Element.code(nil, with: &self)) }
    return elements
  }

  @inlinable
  public mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) throws(BinaryError) -> [(name: String, value: Value)] {
    var rows: [(name: String, value: Value)] = []
    for _ in 0..<(try count()) {
      rows.append((try text(nil), try Value.code(nil, with: &self)))
    }
    return rows
  }

  @inlinable
  public mutating func object<Object: DescribedObject>(
    _ value: consuming Object?
  ) throws(BinaryError) -> Object { try Object(&self, nil) }

  @usableFromInline var damage: BinaryError {
    BinaryError(description: "byte \(next) is damaged")
  }
}
