internal import Glibc

extension FileSystem {
  /// Writes all of `bytes` at the file's end, in as many calls as it takes; an interrupted call is made again.
  public func writeAll(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = try Interruption.retrying { () throws(FileError) in try write(rest, to: file) }
      if count == 0 { throw FileError(operation: "write", path: file.path, code: EIO) }
      written += count
    }
  }

  /// Writes all of `bytes` at the file's end.
  public func writeAll(_ bytes: [UInt8], to file: OpenFile) throws(FileError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileError) in try writeAll(bytes, to: file) }
    }
    try result.get()
  }

  /// Fills `buffer` from `offset` on; returns how many bytes came, fewer only at the end.
  public func readAll(
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

  /// The bytes of `range`, fewer at the file's end.
  public func bytes(of file: OpenFile, in range: Range<Int>) throws(FileError) -> [UInt8] {
    // Not zeroed first: a buffer for the most that may be there is seldom filled.
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

  /// The whole of a file; throws ``FileError``.
  public func readWhole(_ path: String) throws -> [UInt8] {
    try reading(path) { file in try bytes(of: file, in: 0..<size(of: file)) }
  }

  /// The whole of a file, nil when there is no such file; throws ``FileError``.
  public func readWholeIfPresent(_ path: String) throws -> [UInt8]? {
    do {
      return try readWhole(path)
    } catch let error as FileError where error.isMissing {
      return nil
    }
  }

  /// Opens a file to read and closes it whatever `body` does.
  public func reading<Result>(
    _ path: String, _ body: (OpenFile) throws -> Result
  ) throws -> Result {
    let file = try open(path, for: .read)
    defer { close(file) }
    return try body(file)
  }

  /// Writes a new file, brings it and its name to the disk: after this it is whole and there.
  public func createDurably(_ path: String, in folder: String, _ pieces: [[UInt8]])
    throws(FileError)
  {
    try replace(path, with: pieces)
    try syncFolder(folder)
  }

  /// Puts a file at `path`, whole and on the disk or not at all: under a temporary name first.
  ///
  /// The new name is not on the disk before the folder is synced.
  public func replace(_ path: String, with pieces: [[UInt8]]) throws(FileError) {
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
