internal import Foundations
internal import Glibc

/// A packed segment opened for reading: returns the original's bytes at any offset.
///
/// Holds one unpacked frame, so that sequential reading unpacks each frame once. Safe to share.
final class PackedFile: Sendable {
  private struct Held: Sendable {
    var range = 0..<0
    var bytes: [UInt8] = []
  }

  private let file: OpenFile
  private let table: SeekTable
  private let held = Lock(Held())

  /// The original's length.
  var size: Int { table.originalBytes }

  /// Reads the seek table of `file`.
  init(_ file: OpenFile, _ fileSystem: any FileSystem) throws(FileError) {
    self.file = file
    let size = try fileSystem.size(of: file)
    let table = try SeekTable(size: size) { range throws(FileError) in
      try fileSystem.bytes(of: file, in: range)
    }
    guard let table else { throw Self.damaged(file.path) }
    self.table = table
  }

  /// Copies bytes from `offset` to the end of the frame that contains it; returns how many, 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ fileSystem: any FileSystem
  ) throws(FileError) -> Int {
    guard let frame = table.frame(at: offset) else { return 0 }
    return try held.withLock { held throws(FileError) in
      if held.range != frame.original {
        held = Held(range: frame.original, bytes: try unpack(frame, fileSystem))
      }
      let start = offset - frame.original.lowerBound
      let count = min(buffer.count, held.bytes.count - start)
      held.bytes.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
      }
      return count
    }
  }

  private func unpack(
    _ frame: SeekTable.Frame, _ fileSystem: any FileSystem
  ) throws(FileError) -> [UInt8] {
    let packed = try fileSystem.bytes(of: file, in: frame.packed)
    do {
      return try packed.withUnsafeBytes { packed in
        try ZstandardFrame.unpack(packed, count: frame.original.count)
      }
    } catch {
      throw Self.damaged(file.path)
    }
  }

  private static func damaged(_ path: String) -> FileError {
    FileError(operation: FileError.unpacking, path: path, code: FileError.unreadable)
  }
}

extension FileError {
  /// The error code of a packed file that cannot be unpacked: the system's code for a bad message.
  static let unreadable = EBADMSG
  fileprivate static let unpacking = "unpack"
  /// Whether a packed file cannot be unpacked, rather than a part of a database cannot be read.
  var isOfPacking: Bool { operation == Self.unpacking }
}

/// Returns the result of `body`, or nil if it met a packed file that cannot be unpacked.
func unlessUnreadable<Result>(_ body: () throws -> Result) throws -> Result? {
  do {
    return try body()
  } catch let error as FileError where error.code == FileError.unreadable {
    return nil
  }
}
