package import Digests
import Foundations
package import Scheduling

/// A group of lines of an inbox file that are read, parsed and recorded together.
package struct InboxPortion: Sendable {
  /// A position in a file.
  package struct Position: Sendable, Equatable {
    /// Where the next line begins.
    let offset: Int
    /// The number of the line before it.
    let line: Int

    /// The beginning of the file.
    package static let start = Position(offset: 0, line: 0)
  }

  /// The good lines.
  package private(set) var lines: [InboxLine] = []
  /// The bad ones.
  package private(set) var rejected: [RejectedLine] = []
  /// Where the next portion begins; nil at the end of the file.
  package private(set) var next: Position?
  /// The raw lines, each cut to the maximum length, from the portion's first line on.
  private var texts: [ArraySlice<UInt8>] = []
  private let firstNumber: Int
  /// The bytes of all its lines.
  private var bytes: ArraySlice<UInt8> = []

  /// Lines per portion.
  private static let lineLimit = 20_000
  /// Bytes read for a portion; longer lines are skipped.
  private static let byteLimit = 1 << 20

  private init(after position: Position) { firstNumber = position.line + 1 }

  /// Reads from `position` on. The file is opened for each portion: nothing is held between calls.
  static func read(
    _ path: String, from position: Position, in fileSystem: any FileSystem, by parser: InboxParser
  ) throws -> InboxPortion {
    let file = try fileSystem.open(path, for: .receive)
    defer { fileSystem.close(file) }
    let bytes = try fileSystem.bytes(
      of: file, in: position.offset..<position.offset + byteLimit)
    var portion = InboxPortion(after: position)
    var start = 0
    while start < bytes.count, portion.texts.count < lineLimit {
      guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
        // The file's last line, a line that continues after this portion, or one too long for any portion.
        if bytes.count == byteLimit, start > 0 { break }
        portion.parse(bytes[start...], by: parser)
        start = bytes.count
        if bytes.count == byteLimit {
          start += try rest(of: file, from: position.offset + start, fileSystem)
        }
        break
      }
      portion.parse(bytes[start..<end], by: parser)
      start = end + 1
    }
    portion.bytes = bytes[..<min(start, bytes.count)]
    if bytes.count == byteLimit || start < bytes.count {
      portion.next = Position(
        offset: position.offset + start, line: position.line + portion.texts.count)
    }
    return portion
  }

  /// The numbers of its lines; nil for an empty file.
  package var numbers: ClosedRange<Int>? {
    texts.isEmpty ? nil : firstNumber...(firstNumber + texts.count - 1)
  }

  /// The SHA-256 of its bytes; of a file that is one portion, the file's.
  package var sha256: Digest { SHA256.digest(of: Array(bytes)) }

  /// Returns the text of a line of the portion, without its line ending.
  func text(of number: Int) -> ArraySlice<UInt8> {
    let index = number - firstNumber
    return texts.indices.contains(index) ? texts[index] : []
  }

  private mutating func parse(_ line: ArraySlice<UInt8>, by parser: InboxParser) {
    let number = firstNumber + texts.count
    texts.append(line.prefix(InboxParser.lineLimitBytes))
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    line.withUnsafeBufferPointer { buffer in
      do throws(InboxParser.Problem) {
        lines.append(InboxLine(number: number, entry: try parser.parse(buffer)))
      } catch {
        rejected.append(RejectedLine(number: number, reason: error.reason))
      }
    }
  }

  /// Returns the remaining length of the line at `offset`, including its line ending.
  private static func rest(
    of file: OpenFile, from offset: Int, _ fileSystem: any FileSystem
  ) throws -> Int {
    var count = 0
    while true {
      let bytes = try fileSystem.bytes(of: file, in: offset + count..<offset + count + byteLimit)
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return count + end + 1 }
      count += bytes.count
      if bytes.count < byteLimit { return count }
    }
  }
}
