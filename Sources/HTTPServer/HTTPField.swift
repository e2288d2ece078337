/// A header or a query argument.
package struct HTTPField: Sendable, Hashable {
  /// The name, in its original case.
  package let name: String
  /// The value; empty if a query argument has none.
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Returns whether the name is `other`, ignoring the case of ASCII letters.
  func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { Self.lowered($0) == Self.lowered($1) }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
