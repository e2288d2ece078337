public import CivilTime
public import Digests

extension Described where Self: FixedWidthInteger {
  /// Coded as a whole number.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Self?, with coder: inout C
  ) throws(C.Failure) -> Self { try coder.integer(value) }
}

extension Int: Described {}
extension Int32: Described {}
extension Int64: Described {}
extension UInt32: Described {}
extension UInt64: Described {}

extension Bool: Described {
  /// Coded as true or false.
  @inlinable
  public static func code<C: Medium>(
    _ value: Bool?, with coder: inout C
  ) throws(C.Failure) -> Bool { try coder.bool(value) }
}

extension String: Described {
  /// Coded as a text.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming String?, with coder: inout C
  ) throws(C.Failure) -> String { try coder.text(value) }
}

extension Instant: Described {
  /// Coded as an instant.
  @inlinable
  public static func code<C: Medium>(
    _ value: Instant?, with coder: inout C
  ) throws(C.Failure) -> Instant { try coder.instant(value) }
}

extension Day: Described {
  /// Coded as a date.
  @inlinable
  public static func code<C: Medium>(
    _ value: Day?, with coder: inout C
  ) throws(C.Failure) -> Day { try coder.day(value) }
}

extension Digest: Described {
  /// Coded as a hash.
  @inlinable
  public static func code<C: Medium>(
    _ value: Digest?, with coder: inout C
  ) throws(C.Failure) -> Digest { try coder.digest(value) }
}

extension Array: Described where Element: Described {
  /// Coded as a list.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming [Element]?, with coder: inout C
  ) throws(C.Failure) -> [Element] { try coder.list(value) }
}

/// A JSON document that a line holds unchanged.
public struct JSONText: Described {
  /// The document.
  public var text: String

  /// Creates a document.
  @inlinable public init(text: String) { self.text = text }

  /// Coded unchanged.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming JSONText?, with coder: inout C
  ) throws(C.Failure) -> JSONText { JSONText(text: try coder.document(value?.text)) }
}

extension Set: Described where Element == String {
  /// Coded in the order of the texts, so that equal sets are written alike.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming Set<String>?, with coder: inout C
  ) throws(C.Failure) -> Set<String> {
    guard let value else { return Set(try coder.list(nil)) }
    _ = try coder.list(value.isEmpty ? [] : value.sorted())
    return value
  }
}

extension Dictionary: Described where Key: LosslessStringConvertible, Value: Described {
  /// Coded in the order of the keys' texts, so that equal tables are written alike. A reader leaves out texts that are no keys.
  @inlinable
  public static func code<C: Medium>(
    _ value: consuming [Key: Value]?, with coder: inout C
  ) throws(C.Failure) -> [Key: Value] {
    guard let value else {
      let rows = try coder.table(nil) as [(name: String, value: Value)]
      return Dictionary(rows.compactMap { row in Key(row.name).map { ($0, row.value) } }) { $1 }
    }
    let rows = value.map { (name: $0.key.description, value: $0.value) }
    _ = try coder.table(rows.sorted { $0.name < $1.name })
    return value
  }
}
