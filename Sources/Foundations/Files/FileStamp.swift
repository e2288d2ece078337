internal import Glibc

/// A file's identity, length and change time; a different stamp means that the file may have changed.
///
/// An equal stamp does not detect silent decay of the medium, nor someone setting the machine's clock back.
package struct FileStamp: Hashable, Sendable {
  /// The number of the file on its file system.
  package let inode: UInt64
  /// The length, in bytes.
  package let bytes: Int
  /// When the bytes, name or owner last changed, in nanoseconds since 1970. No program can set this time.
  package let changedNanoseconds: Int64

  package init(inode: UInt64, bytes: Int, changedNanoseconds: Int64) {
    self.inode = inode
    self.bytes = bytes
    self.changedNanoseconds = changedNanoseconds
  }
}

extension FileSystem {
  /// Returns the operating system's stamp of an open file.
  package func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
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
