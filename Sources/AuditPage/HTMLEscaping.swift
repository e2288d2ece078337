/// Converts untrusted text to markup.
enum HTMLEscaping {
  /// The maximum length of a name.
  private static let nameLimit = 80

  /// Appends `text` so that a browser shows it literally, in an element or a quoted attribute. Characters that are invisible or
  /// would reorder the page appear as `‹U+202E›`.
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

  /// Returns the beginning of a text that is too long for a name, with its length.
  static func cut(_ text: String) -> String {
    // Counts scalars, not characters: one character may have any number of them.
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

  /// Returns whether a character is a control, or an invisible formatting character other than the joiners of scripts and emoji.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // Direction marks and overrides, separators, zero-width spaces.
    case 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF: true
    // Tags, which can hide whole texts.
    case 0xE0000...0xE007F: true
    default: false
    }
  }
}
