import Foundations
import Glibc

/// Append-only files of lines, for their single writer.
extension FileSystem {
  /// Appends whole lines to the file at `path`, creating it if needed, and cuts off an incomplete line before them. After an
  /// error, none of the lines is there.
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

  /// Cuts off the part of a line that a crash or a full disk left, so that the next line is not joined to it.
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
