/// A value sent to a server with a statement.
package enum DatabaseValue: Equatable, Sendable {
  /// Nothing.
  case null
  /// A whole number.
  case number(Int64)
  /// A text.
  case text(String)
  /// Bytes, for `bytea`.
  case bytes([UInt8])
  /// Whole numbers, for an array.
  case numbers([Int64])
  /// Texts, for an array.
  case texts([String])

  /// The value's bytes as sent, nil for null, and whether they are in binary form.
  var sent: (bytes: [UInt8]?, isBinary: Bool) {
    switch self {
    case .null: (nil, false)
    case .number(let number): (Self.terminated("\(number)"), false)
    case .text(let text): (Self.terminated(text), false)
    case .bytes(let bytes): (bytes, true)
    case .numbers(let numbers):
      (Self.terminated("{\(numbers.map(String.init).joined(separator: ","))}"), false)
    case .texts(let texts): (Self.array(texts), false)
    }
  }

  private static func terminated(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

  /// Returns an array literal: each text is quoted, with `\` before quotes and backslashes.
  private static func array(_ texts: [String]) -> [UInt8] {
    var literal = Array("{".utf8)
    for (index, text) in texts.enumerated() {
      if index > 0 { literal.append(UInt8(ascii: ",")) }
      literal.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          literal.append(UInt8(ascii: "\\"))
        }
        literal.append(byte)
      }
      literal.append(UInt8(ascii: "\""))
    }
    return literal + Array("}".utf8) + [0]
  }
}

/// One statement with the values of its `$1`, `$2`, ….
package struct DatabaseStatement: Equatable, Sendable {
  /// The text of a single statement.
  package let text: String
  /// The values in order.
  package let values: [DatabaseValue]

  package init(_ text: String, _ values: [DatabaseValue] = []) {
    self.text = text
    self.values = values
  }
}
