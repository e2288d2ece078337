public import CivilTime
public import Digests

/// A value that says once how it is written and read, for every medium: lines, snapshots, schemas.
public protocol Described {
  /// Hands `value` to `coder` and returns it; given none, returns what the coder reads.
  static func code<C: Medium>(_ value: consuming Self?, with coder: inout C) throws(C.Failure)
    -> Self
}

/// An object that names its fields once, in the order in which they are written.
///
/// The fields are named one after the other, always all of them: no branch may leave one out.
public protocol DescribedObject: Described {
  /// What a writer is given; nil for a reader.
  typealias Given = UnsafePointer<Self>?
  /// Takes each field from `coder`: a writer writes what `value` holds and returns it, a reader returns what it has read.
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure)
}

extension DescribedObject {
  /// As an object.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.object(value) }
}

/// A value that is one of some words.
public protocol Word: Described, CaseIterable {
  /// What it is, for errors.
  static var noun: StaticString { get }
  /// The word.
  var word: String { get }
}

extension Word {
  /// As a word.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.word(value) }
}

extension Word where Self: RawRepresentable<String> {
  /// The case's own name.
  @inlinable public var word: String { rawValue }
}

/// A word that bytes hold as its number: with other numbers they take another form.
public protocol NumberedWord: Word, RawRepresentable<UInt8> {}

extension NumberedWord {
  /// As a word or its number.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.numbered(value) }
}

/// A ``ValueCoder``, of which there may be no copies.
public typealias Medium = ValueCoder & ~Copyable
/// A ``FieldCoder``, of which there may be no copies.
public typealias Fields = FieldCoder & ~Copyable

/// Writes values of every kind, reads them, or notes their shapes: a medium.
///
/// A writer is always given a value and returns it; a reader is given none.
public protocol ValueCoder: ~Copyable {
  /// `Never` where nothing can go wrong: a writer notes what it cannot write.
  associatedtype Failure: Error

  /// Returns a whole number.
  mutating func integer<Number: FixedWidthInteger>(_ value: Number?) throws(Failure) -> Number
  /// True or false.
  mutating func bool(_ value: Bool?) throws(Failure) -> Bool
  /// Any text.
  mutating func text(_ value: consuming String?) throws(Failure) -> String
  /// Returns an instant.
  mutating func instant(_ value: Instant?) throws(Failure) -> Instant
  /// Returns a date.
  mutating func day(_ value: Day?) throws(Failure) -> Day
  /// Returns a hash.
  mutating func digest(_ value: Digest?) throws(Failure) -> Digest
  /// Returns a JSON document, which a line holds as it is.
  mutating func document(_ value: consuming String?) throws(Failure) -> String
  /// One of some words.
  mutating func word<Value: Word>(_ value: consuming Value?) throws(Failure) -> Value
  /// One of some words that have numbers.
  mutating func numbered<Value: NumberedWord>(_ value: consuming Value?) throws(Failure) -> Value
  /// Values in their order.
  mutating func list<Element: Described>(_ value: consuming [Element]?) throws(Failure) -> [Element]
  /// Values by name, in an order of their own.
  mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) throws(Failure) -> [(name: String, value: Value)]
  /// Returns an object with its fields.
  mutating func object<Object: DescribedObject>(_ value: consuming Object?) throws(Failure)
    -> Object
}

extension ValueCoder where Self: ~Copyable {
  /// Returns the word itself, unless the medium writes its number.
  @inlinable
  public mutating func numbered<Value: NumberedWord>(_ value: consuming Value?) throws(Failure)
    -> Value
  {
    try word(value)
  }
}

/// Does something with each field of an object.
public protocol FieldCoder: ~Copyable {
  /// `Never` where nothing can go wrong.
  associatedtype Failure: Error

  /// Returns a field that is always there.
  mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value
  /// Returns a field that is left out when there is nothing to say.
  mutating func optional<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value?
  /// Returns a field that is left out when it is as usual.
  mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) throws(Failure) -> Value
  /// Returns a field that is `null` when there is nothing to say.
  mutating func nullable<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value?
}

extension FieldCoder where Self: ~Copyable {
  /// Not to be used: without it a property that may be nil could be described as one that is always there.
  @available(*, unavailable, message: "a field that may be missing is optional or nullable")
  @inlinable
  public mutating func field<Value: Described>(
    _ name: StaticString, _ value: consuming Value?
  ) throws(Failure) -> Value? { value }
}
