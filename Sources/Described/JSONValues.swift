// The members are documented by the protocol that requires them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CivilTime
public import Digests
public import StrictJSON

extension JSONValue where Self: FixedWidthInteger {
  public static var shape: JSONShape { .integer(nil) }
  public func write(to json: inout JSONWriter) { json.int(self) }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt64: JSONValue {}

extension Bool: JSONValue {
  public static var shape: JSONShape { .bool }
  public func write(to json: inout JSONWriter) { json.bool(self) }
}

extension String: JSONValue {
  public static var shape: JSONShape { .text(.text) }
  public func write(to json: inout JSONWriter) { json.string(self) }
}

extension Instant: JSONValue {
  public static var shape: JSONShape { .text(.instant) }
  public func write(to json: inout JSONWriter) { json.string(description) }
}

extension Day: JSONValue {
  public static var shape: JSONShape { .text(.day) }
  public func write(to json: inout JSONWriter) { json.string(description) }
}

extension Digest: JSONValue {
  public static var shape: JSONShape { .text(.hash) }
  public func write(to json: inout JSONWriter) { json.string(description) }
}

extension JSONText: JSONValue {
  public static var shape: JSONShape { .any }
  public func write(to json: inout JSONWriter) { json.raw(text) }
}

/// A number with a fraction, as its text.
public struct JSONNumber: JSONValue {
  let text: String

  /// Creates a number from its JSON text.
  public init(text: String) { self.text = text }

  public static var shape: JSONShape { .number }
  public func write(to json: inout JSONWriter) { json.raw(text) }
}

extension Array: JSONValue where Element: JSONValue {
  public static var shape: JSONShape { .list(Element.shape, count: nil) }
  public func write(to json: inout JSONWriter) {
    json.beginArray()
    for element in self { element.write(to: &json) }
    json.endArray()
  }
}

extension Optional: JSONValue where Wrapped: JSONValue {
  public static var shape: JSONShape { Wrapped.shape.orNull }
  public func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.null() }
  }
}

/// Written in the order of the names.
extension Dictionary: JSONValue where Key == String, Value: JSONValue {
  public static var shape: JSONShape { .map(Value.shape) }
  public func write(to json: inout JSONWriter) {
    json.beginObject()
    for (name, value) in sorted(by: { $0.key < $1.key }) {
      json.key(name)
      value.write(to: &json)
    }
    json.endObject()
  }
}
