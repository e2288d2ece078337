internal import Glibc

/// The program's system calls on files, one method each, so that tests can make any of them fail.
///
/// Implementations retry `open` and `read` after an interruption (`EINTR`) and nothing else. Safe to call from any thread.
/// Every call blocks: never call one on the cooperative pool.
package protocol FileSystem: Sendable {
  /// Opens a file with close-on-exec.
  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile
  /// Closes a file. Errors are ignored, since nothing relies on unsynced bytes.
  func close(_ file: OpenFile)
  /// Appends to the file; returns how many bytes were written, which may be fewer than given.
  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int
  /// Reads at `offset`; returns how many bytes were read, 0 at the end.
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int
  /// Returns the file's length.
  func size(of file: OpenFile) throws(FileError) -> Int
  /// Truncates the file to `size` bytes.
  func truncate(_ file: OpenFile, to size: Int) throws(FileError)
  /// Syncs the file's bytes and length to disk (`fdatasync`).
  func sync(_ file: OpenFile) throws(FileError)
  /// Syncs a folder's names to disk (`fsync`).
  func syncFolder(_ path: String) throws(FileError)
  /// Renames a file, replacing any file at the new path.
  func rename(_ path: String, to newPath: String) throws(FileError)
  /// Removes a file's name.
  func remove(_ path: String) throws(FileError)
  /// Removes an empty folder.
  func removeFolder(_ path: String) throws(FileError)
  /// Creates a folder; returns whether it is new.
  func makeFolder(_ path: String) throws(FileError) -> Bool
  /// Returns the UTF-8 names in a folder, in no particular order.
  func names(in path: String) throws(FileError) -> [String]
  /// Moves entries whose names are not UTF-8 to another folder, with the bytes of the name written as `%HH`; returns the new
  /// names.
  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String]
  /// Returns the stamp of an open file.
  func stamp(of file: OpenFile) throws(FileError) -> FileStamp
  /// Whether the path under which a file was opened still leads to it; always true where no one else could change that.
  func isInPlace(_ file: OpenFile) -> Bool
  /// Locks a file, creating it if needed, until the returned value is released.
  ///
  /// Returns nil where the operating system locks the file, as for the machine's own files. Throws `EAGAIN` while another
  /// process holds the lock.
  func holdLock(of path: String) throws(FileError) -> (any HeldLock)?
  /// Whether the file at `path` belongs to this process's account; always true where there are no accounts.
  func isOwned(_ path: String) -> Bool
  /// Returns the bytes of an operator's file.
  ///
  /// It must be a regular file of at most `limitBytes`. A secret file must be readable only by its owner or, if root owns
  /// it, by one of this process's groups.
  func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8]
  /// Replaces an operator's file, whose content is `old`, as a whole and on disk. Follows a link to it, and keeps its
  /// owner, group and permissions. Throws if that is not possible, or if somebody has changed the file meanwhile.
  func replaceInput(_ path: String, _ old: [UInt8], by bytes: [UInt8]) throws(ReadError)
}

/// A lock that lasts as long as this value, unless it is lost earlier.
package protocol HeldLock: AnyObject, Sendable {
  /// Whether another process now has the lock. Always false for a lock that the operating system keeps.
  var isLost: Bool { get }
  /// Calls `body` once when the lock is lost, on a thread of the lock, or at once when it is already lost.
  func whenLost(_ body: @escaping @Sendable () -> Void)
  /// The reason the lock cannot be renewed at the moment and may soon be lost; nil while all is well.
  var doubt: String? { get }
}

extension HeldLock {
  /// Nil: a lock that needs no renewal is never in doubt.
  package var doubt: String? { nil }
}

extension FileSystem {
  /// Returns true: no one moves these files from outside.
  package func isInPlace(_ file: OpenFile) -> Bool { true }

  /// Returns nil: the operating system has locks.
  package func holdLock(of path: String) throws(FileError) -> (any HeldLock)? { nil }

  /// Returns true: there are no accounts.
  package func isOwned(_ path: String) -> Bool { true }

  /// Returns the whole file: there are no pipes and no other accounts.
  package func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8] {
    do {
      return try readWhole(path)
    } catch {
      throw ReadError(path: path, code: (error as? FileError)?.code ?? EIO)
    }
  }

  /// Replaces the file: there are no links and no other accounts.
  package func replaceInput(
    _ path: String, _ old: [UInt8], by bytes: [UInt8]
  ) throws(ReadError) {
    do throws(FileError) {
      try createDurably(path, in: FolderPath.parent(of: path), [bytes])
    } catch {
      throw ReadError(path: path, code: error.code)
    }
  }

  /// Returns the bytes of an operator's file that is not secret; see ``readInput(_:limitBytes:isSecret:)``.
  package func readInput(_ path: String, limitBytes: Int) throws(ReadError) -> [UInt8] {
    try readInput(path, limitBytes: limitBytes, isSecret: false)
  }

  /// Returns the UTF-8 names in a folder, in no particular order; empty when there is no folder.
  package func namesIfPresent(in path: String) throws(FileError) -> [String] {
    do throws(FileError) {
      return try names(in: path)
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }
}

/// An open file: its descriptor, and its path for messages.
package struct OpenFile: Hashable, Sendable {
  /// The file descriptor.
  package let descriptor: Int32
  /// The path under which it was opened.
  package let path: String

  package init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// The purpose for which a file is opened.
package enum FilePurpose: Sendable {
  /// Reading.
  case read
  /// Reading a file that others put there. Links are not followed, and it must be a regular file that belongs to this
  /// account, to the folder's owner or to root.
  case receive
  /// Appending. The file is created if it does not exist, and links are not followed.
  case append
  /// Appending to a file that other accounts may read.
  case publish
  /// Writing from the beginning. Existing content is lost.
  case replace
}
