internal import Foundations
internal import Glibc

/// A view of the files for the ledger's readers, in which a packed segment reads like the original.
///
/// Opening `X.jsonl` for reading opens `X.jsonl.zst` if the former no longer exists, so that a segment may be packed while it is
/// being read. All other calls pass through.
struct SegmentFileSystem: FileSystem {
  private let base: any FileSystem
  private let packed = Lock<[Int32: PackedFile]>([:])

  /// Creates a view of `base` with packed segments unpacked.
  init(_ base: any FileSystem) { self.base = (base as? SegmentFileSystem)?.base ?? base }

  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    guard purpose == .read, path.hasSuffix(SegmentFile.suffix) else {
      return try base.open(path, for: purpose)
    }
    do {
      return try base.open(path, for: .read)
    } catch {
      guard error.code == ENOENT else { throw error }
      return try openPacked(path, orElse: error)
    }
  }

  private func openPacked(_ path: String, orElse missing: FileError) throws(FileError) -> OpenFile {
    let file: OpenFile
    do {
      file = try base.open(path + SegmentFile.packedSuffix, for: .read)
    } catch {
      // Reports the name that the caller asked for as missing.
      throw error.code == ENOENT ? missing : error
    }
    do {
      let content = try PackedFile(file, base)
      packed.withLock { $0[file.descriptor] = content }
      return file
    } catch {
      base.close(file)
      throw error
    }
  }

  func close(_ file: OpenFile) {
    packed.withLock { _ = $0.removeValue(forKey: file.descriptor) }
    base.close(file)
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    guard let content = packed.withLock({ $0[file.descriptor] }) else {
      return try base.read(file, into: buffer, at: offset)
    }
    return try content.read(into: buffer, at: offset, base)
  }

  func size(of file: OpenFile) throws(FileError) -> Int {
    if let content = packed.withLock({ $0[file.descriptor] }) { return content.size }
    return try base.size(of: file)
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    try base.write(bytes, to: file)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try base.truncate(file, to: size)
  }

  func sync(_ file: OpenFile) throws(FileError) { try base.sync(file) }

  func syncFolder(_ path: String) throws(FileError) { try base.syncFolder(path) }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try base.rename(path, to: newPath)
  }

  func remove(_ path: String) throws(FileError) { try base.remove(path) }

  func removeFolder(_ path: String) throws(FileError) { try base.removeFolder(path) }

  func stamp(of file: OpenFile) throws(FileError) -> FileStamp { try base.stamp(of: file) }

  func isInPlace(_ file: OpenFile) -> Bool { base.isInPlace(file) }

  func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    try base.holdLock(of: path)
  }

  func makeFolder(_ path: String) throws(FileError) -> Bool { try base.makeFolder(path) }

  func names(in path: String) throws(FileError) -> [String] { try base.names(in: path) }

  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    try base.moveUnnameable(from: path, to: target)
  }

  func isOwned(_ path: String) -> Bool { base.isOwned(path) }
}
