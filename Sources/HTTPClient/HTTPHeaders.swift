/// The header lines of an answer, kept as they came and searched when asked.
public struct HTTPHeaders: Sendable {
  private let lines: [UInt8]

  /// Headers from raw lines, each ended by a line feed.
  public init(lines: [UInt8]) { self.lines = lines }

  /// The value of the first line called `name`, letter case ignored, without the white space around it.
  public subscript(name: String) -> String? {
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        Self.isSame(line[..<colon], name.utf8)
      else { continue }
      let value = line[(colon + 1)...].trimmingPrefix(while: Self.isSpace)
      return String(decoding: value.prefix(upTo: Self.trimmedEnd(of: value)), as: UTF8.self)
    }
    return nil
  }

  private static func isSame(_ left: ArraySlice<UInt8>, _ right: String.UTF8View) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercase($0) == lowercase($1) }
  }

  private static func trimmedEnd(of value: ArraySlice<UInt8>) -> Int {
    value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
