public import CivilTime
public import Digests

/// A value that describes once how it is written and read, for every medium: lines, snapshots, schemas.
public protocol Described {
  /// Passes `value` to `coder` and returns it; without a value, returns what the coder reads.
  static func code<C: Medium>(_ value: consuming Self?, with coder: inout C) throws(C.Failure)
    -> Self
}

/// An object that names its fields once, in the order in which they are written.
///
/// It must name all of them, one after another; no branch may leave one out.
public protocol DescribedObject: Described {
  /// The value for a writer; nil for a reader.
  typealias Given = UnsafePointer<Self>?
  /// Gets each field from `coder`. A writer writes the field of `value` and returns it; a reader returns what it has read.
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure)
}

extension DescribedObject {
  /// Coded as an object.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.object(value) }
}

/// A value that is one of a set of words.
public protocol Word: Described, CaseIterable {
  /// The noun for such a value, for errors.
  static var noun: StaticString { get }
  /// The word.
  var word: String { get }
}

extension Word {
  /// Coded as a word.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.word(value) }
}

extension Word where Self: RawRepresentable<String> {
  /// The case's own name.
  @inlinable public var word: String { rawValue }
}

/// A word stored in binary as its number. Changing the numbers changes the binary format.
public protocol NumberedWord: Word, RawRepresentable<UInt8> {}

extension NumberedWord {
  /// Coded as a word or its number.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.numbered(value) }
}

/// A non-copyable ``ValueCoder``.
public typealias Medium = ValueCoder & ~Copyable
/// A non-copyable ``FieldCoder``.
public typealias Fields = FieldCoder & ~Copyable

/// A medium: it writes values of every kind, reads them, or notes their shapes.
///
/// A writer always receives a value and returns it; a reader receives none.
public protocol ValueCoder: ~Copyable {
  /// `Never` if coding cannot fail; a writer notes what it cannot write.
  associatedtype Failure: Error

  /// Codes a whole number.
  mutating func integer<Number: FixedWidthInteger>(_ value: Number?) throws(Failure) -> Number
  /// Codes true or false.
  mutating func bool(_ value: Bool?) throws(Failure) -> Bool
  /// Codes any text.
  mutating func text(_ value: consuming String?) throws(Failure) -> String
  /// Codes an instant.
  mutating func instant(_ value: Instant?) throws(Failure) -> Instant
  /// Codes a date.
  mutating func day(_ value: Day?) throws(Failure) -> Day
  /// Codes a hash.
  mutating func digest(_ value: Digest?) throws(Failure) -> Digest
  /// Codes a JSON document, which a line holds unchanged.
  mutating func document(_ value: consuming String?) throws(Failure) -> String
  /// Codes one of a set of words.
  mutating func word<Value: Word>(_ value: consuming Value?) throws(Failure) -> Value
  /// Codes one of a set of numbered words.
  mutating func numbered<Value: NumberedWord>(_ value: consuming Value?) throws(Failure) -> Value
  /// Codes values in their order.
  mutating func list<Element: Described>(_ value: consuming [Element]?) throws(Failure) -> [Element]
  /// Codes values by name, in an order of their own.
  mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) throws(Failure) -> [(name: String, value: Value)]
  /// Codes an object with its fields.
  mutating func object<Object: DescribedObject>(_ value: consuming Object?) throws(Failure)
    -> Object
}

extension ValueCoder where Self: ~Copyable {
  /// Codes the word itself, unless the medium overrides this to use its number.
  @inlinable
  public mutating func numbered<Value: NumberedWord>(_ value: consuming Value?) throws(Failure)
    -> Value
  {
    try word(value)
  }
}

/// A coder of the fields of an object.
public protocol FieldCoder: ~Copyable {
  /// `Never` if coding cannot fail.
  associatedtype Failure: Error

  /// Codes a field that is always present.
  mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value
  /// Codes a field that is left out when nil.
  mutating func optional<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value?
  /// Codes a field that is left out when it has the usual value.
  mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) throws(Failure) -> Value
  /// Codes a field that is `null` when nil.
  mutating func nullable<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value?
}

extension FieldCoder where Self: ~Copyable {
  /// Not to be used. Without it, a property that may be nil could be described as a field that is always present.
  @available(*, unavailable, message: "a field that may be missing is optional or nullable")
  @inlinable
  public mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? { value }
}
