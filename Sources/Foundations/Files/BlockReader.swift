internal import Glibc

/// Reads a range of a file block by block, so that memory does not grow with the file.
package struct BlockReader {
  let fileSystem: any FileSystem
  let blockBytes: Int

  /// Creates a reader that reads `blockBytes` at a time.
  package init(fileSystem: any FileSystem, blockBytes: Int = 1 << 20) {
    self.fileSystem = fileSystem
    self.blockBytes = blockBytes
  }

  /// Calls `body` with the bytes of `range` in order.
  ///
  /// `body` returns how many bytes it consumed and whether it is done; unconsumed bytes are passed again with more behind
  /// them. Returns how many bytes remained at the end of the range or file, or nil when `body` was done.
  package func read(
    _ file: OpenFile, _ range: Range<Int>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> (consumed: Int, isDone: Bool)
  ) throws -> Int? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 64)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    var held = 0
    while true {
      let wanted = min(blockBytes - held, range.upperBound - offset)
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer[held..<held + wanted])
      let got = try fileSystem.readAll(file, into: free, at: offset)
      offset += got
      held += got
      let bytes = UnsafeBufferPointer(buffer[..<held].assumingMemoryBound(to: UInt8.self))
      let (consumed, isDone) = try body(UnsafeBufferPointer(rebasing: bytes[...]))
      if isDone { return nil }
      held -= consumed
      if offset == range.upperBound || got < wanted || wanted == 0 { return held }
      if held > 0, consumed > 0, let base = buffer.baseAddress {
        memmove(base, base + consumed, held)
      }
    }
  }

  /// Calls `body` with each whole line of `range`, without its `\n`, and the offset of the line's first byte, until `body` stops.
  ///
  /// A line longer than a block, which no ledger has, is passed as an empty one. Returns how many bytes remained without a
  /// line end, or nil when `body` stopped.
  package func readLines(
    _ file: OpenFile, _ range: Range<Int>,
    _ body: (UnsafeBufferPointer<UInt8>, Int) throws -> ReadingStep
  ) throws -> Int? {
    var start = range.lowerBound
    var overlong = 0
    return try read(file, range) { bytes in
      guard let base = bytes.baseAddress else { return (0, false) }
      var position = 0
      while position < bytes.count,
        let found = memchr(base + position, 0x0A, bytes.count - position)
      {
        let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        let length = overlong > 0 ? 0 : end - position
        let line = UnsafeBufferPointer(start: base + position, count: length)
        if try body(line, start + position - overlong) == .stop { return (end + 1, true) }
        position = end + 1
        overlong = 0
      }
      if position == 0, bytes.count == blockBytes {
        overlong += bytes.count
        position = bytes.count
      }
      start += position
      return (position, false)
    }
  }
}

/// Whether to continue reading.
package enum ReadingStep: Sendable {
  /// Continue.
  case next
  /// Stop.
  case stop
}
