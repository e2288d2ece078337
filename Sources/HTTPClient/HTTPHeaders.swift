/// The header lines of an answer, stored as received and searched on demand.
package struct HTTPHeaders: Sendable {
  private let lines: [UInt8]

  /// Creates headers from raw lines, each ending in a line feed.
  package init(lines: [UInt8]) { self.lines = lines }

  /// The value of the first line called `name`, ignoring case and surrounding white space.
  package subscript(name: String) -> String? {
    var start = 0
    while start < lines.count {
      let end = lines[start...].firstIndex(of: UInt8(ascii: "\n")) ?? lines.count
      if let value = value(in: start..<end, of: name.utf8) {
        return String(decoding: lines[value], as: UTF8.self)
      }
      start = end + 1
    }
    return nil
  }

  /// Returns the range of the value if the line at `range` is called `name`.
  private func value(in range: Range<Int>, of name: String.UTF8View) -> Range<Int>? {
    var index = range.lowerBound
    for byte in name {
      guard index < range.upperBound, Self.lowercase(lines[index]) == Self.lowercase(byte) else {
        return nil
      }
      index += 1
    }
    guard index < range.upperBound, lines[index] == UInt8(ascii: ":") else { return nil }
    index += 1
    var end = range.upperBound
    while index < end, Self.isSpace(lines[index]) { index += 1 }
    while index < end, Self.isSpace(lines[end - 1]) { end -= 1 }
    return index..<end
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
