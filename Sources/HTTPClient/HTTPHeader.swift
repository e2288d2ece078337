/// One header line of a request.
public struct HTTPHeader: Sendable {
  /// The name, as `Authorization`.
  public let name: String
  /// The value; may be a secret, so no error ever repeats it.
  public let value: String

  /// A header line.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the line can be sent as one line: a token as its name, no control character in its value.
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
  /// The name alone.
  public var description: String { "\(name): ***" }
}
