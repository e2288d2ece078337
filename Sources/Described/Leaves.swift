public import CivilTime
public import Digests

extension Described where Self: FixedWidthInteger {
  /// As a whole number.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.integer(value) }
}

extension Int: Described {}
extension Int32: Described {}
extension Int64: Described {}
extension UInt64: Described {}

extension Bool: Described {
  /// As true or false.
  @inlinable
  public static func code<C: Medium>(
    _ value: Bool?, with coder: inout C
  ) throws(C.Failure) -> Bool { try coder.bool(value) }
}

extension String: Described {
  /// As a text.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming String?, with coder: inout C
  ) throws(C.Failure) -> String { try coder.text(value) }
}

extension Instant: Described {
  /// As an instant.
  @inlinable
  public static func code<C: Medium>(
    _ value: Instant?, with coder: inout C
  ) throws(C.Failure) -> Instant { try coder.instant(value) }
}

extension Day: Described {
  /// As a date.
  @inlinable
  public static func code<C: Medium>(
    _ value: Day?, with coder: inout C
  ) throws(C.Failure) -> Day { try coder.day(value) }
}

extension Digest: Described {
  /// As a hash.
  @inlinable
  public static func code<C: Medium>(
    _ value: Digest?, with coder: inout C
  ) throws(C.Failure) -> Digest { try coder.digest(value) }
}

extension Array: Described where Element: Described {
  /// As a list.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming [Element]?, with coder: inout C
  ) throws(C.Failure) -> [Element] { try coder.list(value) }
}

/// A JSON document that stands in a line as it is.
public struct JSONText: Described {
  /// The document.
  public var text: String

  /// Creates a document.
  @inlinable public init(text: String) { self.text = text }

  /// As it is.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming JSONText?, with coder: inout C
  ) throws(C.Failure) -> JSONText { JSONText(text: try coder.document(value?.text)) }
}

extension Set: Described where Element == String {
  /// In the order of the texts, so that equal sets are written alike.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Set<String>?, with coder: inout C
  ) throws(C.Failure) -> Set<String> {
    guard let value else { return Set(try coder.list(nil)) }
    _ = try coder.list(value.isEmpty ? [] : value.sorted())
    return value
  }
}

extension Dictionary: Described where Key == String, Value: Described {
  /// In the order of the names, so that equal tables are written alike.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming [String: Value]?, with coder: inout C
  ) throws(C.Failure) -> [String: Value] {
    guard let value else {
      let rows = try coder.table(nil) as [(name: String, value: Value)]
      return Dictionary(rows.map { ($0.name, $0.value) }) { $1 }
    }
    _ = try coder.table(value.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    return value
  }
}
