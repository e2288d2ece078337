internal import Foundations
internal import Glibc

/// Packs one sealed segment: writes the packed form beside it, compares the two, then removes the original.
///
/// It can be interrupted anywhere and repeated: as long as the original exists, it is the one that counts.
struct SegmentPacker {
  let folder: String
  let fileSystem: any FileSystem
  /// How many bytes of the original each frame holds; small, so that reading one user's lines unpacks little else.
  var frameBytes = 128 << 10

  /// Packs `segment`, whose original exists; returns both lengths in bytes.
  func pack(_ segment: SegmentFile) throws -> (original: Int, packed: Int) {
    // A name that readers of the folder ignore.
    let temporary = "\(folder)/\(segment.firstSeq).packing"
    let packed = segment.path + SegmentFile.packedSuffix
    let counts: (Int, Int)
    do {
      counts = try fileSystem.reading(segment.path) { original in
        let size = try fileSystem.size(of: original)
        let packedSize = try write(original, size, to: temporary)
        try compare(original, size, with: temporary)
        return (size, packedSize)
      }
      try fileSystem.rename(temporary, to: packed)
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
    // The packed form's name must be on disk before the original is removed.
    try fileSystem.syncFolder(folder)
    try fileSystem.remove(segment.path)
    try fileSystem.syncFolder(folder)
    return counts
  }

  private func write(_ original: OpenFile, _ size: Int, to path: String) throws -> Int {
    let file = try fileSystem.open(path, for: .replace)
    defer { fileSystem.close(file) }
    var table = SeekTable()
    var offset = 0
    while offset < size {
      let bytes = try fileSystem.bytes(of: original, in: offset..<min(size, offset + frameBytes))
      let frame = try bytes.withUnsafeBytes { try ZstandardFrame.pack($0) }
      try fileSystem.writeAll(frame, to: file)
      table.append(packed: frame.count, original: bytes.count)
      offset += bytes.count
    }
    let end = table.bytes
    try fileSystem.writeAll(end, to: file)
    try fileSystem.sync(file)
    return table.packedBytes + end.count
  }

  /// Reads the packed file back, byte for byte: no error of a library, the memory or the disk may cost a ledger.
  private func compare(_ original: OpenFile, _ size: Int, with path: String) throws {
    try fileSystem.reading(path) { file in
      let packed = try PackedFile(file, fileSystem)
      var offset = 0
      while offset < size {
        let range = offset..<min(size, offset + frameBytes)
        let wanted = try fileSystem.bytes(of: original, in: range)
        var got = [UInt8](repeating: 0, count: wanted.count)
        let count = try got.withUnsafeMutableBytes {
          try packed.read(into: $0, at: offset, fileSystem)
        }
        guard packed.size == size, count == wanted.count, got == wanted else {
          throw FileError(operation: "read back", path: path, code: EIO)
        }
        offset += wanted.count
      }
    }
  }
}
