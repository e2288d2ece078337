internal import Glibc

extension FileSystem {
  /// Appends all of `bytes` to the file, in as many calls as needed; repeats interrupted calls.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = try Interruption.retrying { () throws(FileError) in try write(rest, to: file) }
      if count == 0 { throw FileError(operation: "write", path: file.path, code: EIO) }
      written += count
    }
  }

  /// Appends all of `bytes` to the file.
  package func writeAll(_ bytes: [UInt8], to file: OpenFile) throws(FileError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileError) in try writeAll(bytes, to: file) }
    }
    try result.get()
  }

  /// Fills `buffer` from `offset` on; returns the number of bytes read, which is smaller only at the end of the file.
  package func readAll(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got = try read(file, into: rest, at: offset + count)
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Returns the bytes of `range`, fewer at the end of the file.
  package func bytes(of file: OpenFile, in range: Range<Int>) throws(FileError) -> [UInt8] {
    // Not zeroed first, because the buffer is sized for the maximum and seldom full.
    var result = Result<Int, FileError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      result = Result { () throws(FileError) in
        try readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
      }
      count = (try? result.get()) ?? 0
    }
    _ = try result.get()
    return bytes
  }

  /// Returns the whole content of a file; throws ``FileError``.
  package func readWhole(_ path: String) throws -> [UInt8] {
    try reading(path) { file in try bytes(of: file, in: 0..<size(of: file)) }
  }

  /// Returns the whole content of a file, or nil when it does not exist; throws ``FileError``.
  package func readWholeIfPresent(_ path: String) throws -> [UInt8]? {
    do {
      return try readWhole(path)
    } catch let error as FileError where error.isMissing {
      return nil
    }
  }

  /// Opens a file for reading, calls `body`, and closes the file in every case.
  package func reading<Result>(
    _ path: String, _ body: (OpenFile) throws -> Result
  ) throws -> Result {
    let file = try open(path, for: .read)
    defer { close(file) }
    return try body(file)
  }

  /// Creates a file and syncs it and its name: when this returns, the whole file is on disk.
  package func createDurably(_ path: String, in folder: String, _ pieces: [[UInt8]])
    throws(FileError)
  {
    try replace(path, with: pieces)
    try syncFolder(folder)
  }

  /// Replaces the file at `path` atomically, by way of a temporary name.
  ///
  /// The new name is not durable until the folder is synced.
  package func replace(_ path: String, with pieces: [[UInt8]]) throws(FileError) {
    let temporary = path + ".tmp"
    let file = try open(temporary, for: .replace)
    do throws(FileError) {
      defer { close(file) }
      for piece in pieces { try writeAll(piece, to: file) }
      try sync(file)
    } catch {
      try? remove(temporary)
      throw error
    }
    do throws(FileError) {
      try rename(temporary, to: path)
    } catch {
      try? remove(temporary)
      throw error
    }
  }
}
