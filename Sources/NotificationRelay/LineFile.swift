import Files
import Glibc

/// Files of lines that only grow, as their one writer keeps them.
extension FileSystem {
  /// Appends whole lines to the file at `path`, which is made when it is missing; after an error none of them is there. What was left of
  /// a line before is cut off.
  func append(_ lines: [UInt8], to path: String, syncs: Bool) throws {
    let file = try open(path, for: .append)
    defer { close(file) }
    try cutTornLine(file)
    let size = try self.size(of: file)
    do {
      try writeAll(lines, to: file)
      if syncs { try sync(file) }
    } catch {
      try? truncate(file, to: size)
      throw error
    }
  }

  /// Takes away what a crash or a full disk left of a line: the next one must not be glued to it.
  func cutTornLine(_ file: OpenFile) throws {
    let size = try size(of: file)
    var end = size
    while end > 0 {
      let start = max(0, end - 4_096)
      let block = try bytes(of: file, in: start..<end)
      guard block.count == end - start else {
        throw FileError(operation: "read", path: file.path, code: EIO)
      }
      if let line = block.lastIndex(of: 0x0A) {
        end = start + line + 1
        break
      }
      end = start
    }
    if end < size { try truncate(file, to: end) }
  }
}
