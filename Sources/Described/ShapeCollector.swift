// The members are documented by the protocols that require them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CivilTime
public import Digests
public import StrictJSON

/// A coder that notes the shape of each value a description codes, and returns blanks.
public struct ShapeCollector: ValueCoder, FieldCoder {
  /// Collecting cannot fail.
  public typealias Failure = Never

  /// The shape of the last value.
  public private(set) var shape = JSONShape.any
  /// The fields of the object so far.
  public private(set) var fields: [JSONShape.Field] = []
  /// The names of the fields so far.
  public private(set) var names: [StaticString] = []

  /// Creates an empty collector.
  public init() {}

  private mutating func note<Value>(_ shape: JSONShape, _ blank: Value) -> Value {
    self.shape = shape
    return blank
  }

  public mutating func integer<Number: FixedWidthInteger>(_ value: Number?) -> Number {
    note(.integer(nil), 0)
  }
  public mutating func bool(_ value: Bool?) -> Bool { note(.bool, false) }
  public mutating func text(_ value: consuming String?) -> String { note(.text(.text), "") }
  public mutating func instant(_ value: Instant?) -> Instant { note(.text(.instant), .earliest) }
  public mutating func day(_ value: Day?) -> Day { note(.text(.day), Day(number: 0)) }
  public mutating func digest(_ value: Digest?) -> Digest { note(.text(.hash), .zero) }
  public mutating func document(_ value: consuming String?) -> String { note(.map(.any), "{}") }

  public mutating func word<Value: Word>(_ value: consuming Value?) -> Value {
    note(.words(Value.allCases.map(\.word)), .first)
  }

  public mutating func list<Element: Described>(_ value: consuming [Element]?) -> [Element] {
    note(.list(shape(of: Element.self), count: nil), [])
  }

  public mutating func table<Value: Described>(
    _ rows: consuming [(name: String, value: Value)]?
  ) -> [(name: String, value: Value)] { note(.map(shape(of: Value.self)), []) }

  public mutating func object<Object: DescribedObject>(_ value: consuming Object?) -> Object {
    var inner = ShapeCollector()
    let blank = Object(&inner, nil)
    return note(.object(inner.fields), blank)
  }

  public mutating func field<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value
  {
    let blank = Value.code(nil, with: &self)
    noteField(name, shape)
    return blank
  }

  public mutating func optional<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value?
  {
    noteField(name, shape(of: Value.self), isOptional: true)
    return nil
  }

  public mutating func field<Value: Described & Equatable>(
    _ name: StaticString, _ value: consuming Value?, unless usual: Value
  ) -> Value {
    noteField(name, shape(of: Value.self), isOptional: true)
    return usual
  }

  public mutating func nullable<Value: Described>(_ name: StaticString, _ value: consuming Value?)
    -> Value?
  {
    noteField(name, shape(of: Value.self).orNull)
    return nil
  }

  private func shape<Value: Described>(of type: Value.Type) -> JSONShape {
    var collector = ShapeCollector()
    _ = type.code(nil, with: &collector)
    return collector.shape
  }

  private mutating func noteField(
    _ name: StaticString, _ shape: JSONShape, isOptional: Bool = false
  ) {
    names.append(name)
    fields.append(JSONShape.Field("\(name)", shape, isOptional: isOptional))
  }
}

extension DescribedObject {
  /// An object of blank values.
  public static var blank: Self {
    var collector = ShapeCollector()
    return Self(&collector, nil)
  }

  /// The collected fields of this type.
  public static var described: ShapeCollector {
    var collector = ShapeCollector()
    _ = Self(&collector, nil)
    return collector
  }
}

extension Word {
  /// The first of the words, used as a blank.
  @inlinable public static var first: Self { allCases[allCases.startIndex] }
}
