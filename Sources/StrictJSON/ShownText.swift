/// Makes text from outside safe to show: it can neither control the reader's terminal nor drown out other output.
public enum ShownText {
  /// Returns `text` with every character that controls a terminal or changes the writing direction as `\u{…}`. Keeps
  /// line ends, tabs, and the sequences in `kept`, the program's own colours.
  public static func plain(_ text: String, keeping kept: [String] = []) -> String {
    // A check by bytes comes first, since most texts have none of these.
    guard text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x0A && $0 != 0x09) || $0 >= 0x7F })
    else { return text }
    var plain = ""
    plain.reserveCapacity(text.utf8.count)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\u{1B}", let own = kept.first(where: { rest.starts(with: $0.unicodeScalars) }) {
        plain += own
        rest = rest.dropFirst(own.unicodeScalars.count)
        continue
      }
      if steers(scalar) {
        plain += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        plain.unicodeScalars.append(scalar)
      }
      rest = rest.dropFirst()
    }
    return plain
  }

  /// Returns equivalent JSON with every such character in its strings escaped; nil if there is none.
  public static func escaping(json: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard json.contains(where: { $0 >= 0x7F }) else { return nil }
    let text = String(decoding: json, as: UTF8.self)
    guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && steers($0) }) else {
      return nil
    }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count + 16)
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x7F, steers(scalar) {
        let digits = String(scalar.value, radix: 16)
        escaped += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      } else {
        escaped += Array(String(scalar).utf8)
      }
    }
    return escaped
  }

  /// Returns `text` in at most about `limit` characters: its beginning, how much was left out, and its end.
  public static func short(_ text: String, limit: Int) -> String {
    guard text.utf8.count > limit, text.count > limit else { return text }
    let tail = limit / 4
    let left = text.count - limit
    return "\(text.prefix(limit - tail))…(\(left) more characters)…\(text.suffix(tail))"
  }

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x09: false
    // ASCII and Latin-1 controls; marks, embeddings and isolates of direction; line and paragraph separators.
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
