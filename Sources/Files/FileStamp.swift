internal import Glibc

/// What the file system tells of a file: another stamp means that somebody may have changed it.
///
/// The same stamp proves nothing against a medium that decays in silence, nor against whoever sets the machine's clock back.
public struct FileStamp: Hashable, Sendable {
  /// The number of the file on its disk.
  public let inode: UInt64
  /// The length.
  public let bytes: Int
  /// When the bytes, the name or the owner were changed last, in nanoseconds since 1970; no program sets this time.
  public let changedNanoseconds: Int64

  /// A stamp.
  public init(inode: UInt64, bytes: Int, changedNanoseconds: Int64) {
    self.inode = inode
    self.bytes = bytes
    self.changedNanoseconds = changedNanoseconds
  }
}

extension FileSystem {
  /// The stamp of an open file, by the operating system.
  public func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else {
      throw FileError(operation: "stat", path: file.path, code: errno)
    }
    return FileStamp(
      inode: UInt64(status.st_ino), bytes: Int(status.st_size),
      changedNanoseconds: Int64(status.st_ctim.tv_sec) &* 1_000_000_000
        &+ Int64(status.st_ctim.tv_nsec))
  }
}
