/// Makes markup of text that anybody may have written.
enum HTMLEscaping {
  /// A longer name is cut.
  private static let nameLimit = 80

  /// Appends `text` so that a browser shows it literally, in an element as well as in a quoted attribute. What would be
  /// invisible or would reorder the page is shown as `‹U+202E›`.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": bytes.append(contentsOf: "&amp;".utf8)
      case "<": bytes.append(contentsOf: "&lt;".utf8)
      case ">": bytes.append(contentsOf: "&gt;".utf8)
      case "\"": bytes.append(contentsOf: "&quot;".utf8)
      case "'": bytes.append(contentsOf: "&#39;".utf8)
      case _ where isHidden(scalar): bytes.append(contentsOf: visible(scalar).utf8)
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  /// The beginning of a text that is too long for a name, with its length.
  static func cut(_ text: String) -> String {
    // Scalars, not characters: one character may consist of any number of them.
    let scalars = text.unicodeScalars
    guard
      let end = scalars.index(
        scalars.startIndex, offsetBy: nameLimit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return "\(String(scalars[..<end]))… (\(NumberText.grouped(scalars.count)) characters)"
  }

  private static func visible(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return "‹U+\(String(repeating: "0", count: max(0, 4 - hex.utf8.count)))\(hex)›"
  }

  /// Whether a character is a control, or formats others without being seen. The joiners of scripts and of emoji stay.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // Marks and overrides of direction, separators, spaces without width.
    case 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF: true
    // Tags: whole texts can be hidden in them.
    case 0xE0000...0xE007F: true
    default: false
    }
  }
}
