/// A header line of a request.
package struct HTTPHeader: Sendable {
  /// The name, such as `Authorization`.
  package let name: String
  /// The value, possibly a secret; never repeated in errors.
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether it can be sent as one line: the name is a token, and the value has no control characters.
  var isSendable: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension HTTPHeader: CustomStringConvertible {
  /// The name and a mask.
  package var description: String { "\(name): ***" }
}
