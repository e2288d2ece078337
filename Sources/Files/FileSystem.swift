internal import Glibc

/// The system calls on files that the program makes, one method each: so that tests can let any of them fail.
///
/// Implementations try `open` and `read` again after an interruption (`EINTR`), and nothing else. Safe to call from any
/// thread. All calls block: never on the cooperative pool.
public protocol FileSystem: Sendable {
  /// Opens a file, close-on-exec.
  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile
  /// Gives a file back; errors are of no interest, since nothing unsynced is relied upon.
  func close(_ file: OpenFile)
  /// Writes at the file's end and returns how many bytes were taken, which may be fewer than given.
  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int
  /// Reads at `offset` and returns how many bytes came, 0 at the end.
  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int
  /// The file's length.
  func size(of file: OpenFile) throws(FileError) -> Int
  /// Cuts the file off after `size` bytes.
  func truncate(_ file: OpenFile, to size: Int) throws(FileError)
  /// Brings the file's bytes and length to the disk (`fdatasync`).
  func sync(_ file: OpenFile) throws(FileError)
  /// Brings a folder's names to the disk (`fsync`).
  func syncFolder(_ path: String) throws(FileError)
  /// Gives a file another name, in place of what has it.
  func rename(_ path: String, to newPath: String) throws(FileError)
  /// Takes a file's name away.
  func remove(_ path: String) throws(FileError)
  /// Takes an empty folder away.
  func removeFolder(_ path: String) throws(FileError)
  /// Makes a folder; returns whether it was not there before.
  func makeFolder(_ path: String) throws(FileError) -> Bool
  /// The names in a folder that are UTF-8, in no order.
  func names(in path: String) throws(FileError) -> [String]
  /// Moves what has a name that is not UTF-8 to another folder, under that name with its bytes as `%HH`; returns the new
  /// names.
  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String]
  /// The stamp of an open file.
  func stamp(of file: OpenFile) throws(FileError) -> FileStamp
  /// Whether the path under which a file was opened still leads to it; always where nobody else can change that.
  func isInPlace(_ file: OpenFile) -> Bool
  /// Holds the lock of a file, made when it does not exist, until the returned value goes away. Nil where the operating system
  /// has locks for the file, as for the machine's own; throws `EAGAIN` while somebody else holds it.
  func holdLock(of path: String) throws(FileError) -> (any HeldLock)?
  /// Whether what is at `path` belongs to this process's account; always where there are no accounts.
  func isOwned(_ path: String) -> Bool
  /// The bytes of a file that an operator has put there: a regular file of at most `limitBytes`, which nobody but its owner, or of root's a
  /// group of this process, may read when it is secret.
  func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8]
}

/// A lock that is held as long as the value is there, unless it is lost before.
public protocol HeldLock: AnyObject, Sendable {
  /// Whether somebody else has the lock by now. Never of a lock that the operating system keeps.
  var isLost: Bool { get }
  /// Has `body` called once when the lock is lost, on a thread of the lock's; at once when it is lost already.
  func whenLost(_ body: @escaping @Sendable () -> Void)
  /// Why the lock cannot be kept up just now, so that it may be lost soon; nil while all is well.
  var doubt: String? { get }
}

extension HeldLock {
  /// A lock that needs nothing to last is never in doubt.
  public var doubt: String? { nil }
}

extension FileSystem {
  /// Nobody moves files from outside.
  public func isInPlace(_ file: OpenFile) -> Bool { true }

  /// The operating system has locks.
  public func holdLock(of path: String) throws(FileError) -> (any HeldLock)? { nil }

  /// There are no accounts.
  public func isOwned(_ path: String) -> Bool { true }

  /// The whole file: there are neither pipes nor other accounts.
  public func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8] {
    do {
      return try readWhole(path)
    } catch {
      throw ReadError(path: path, code: (error as? FileError)?.code ?? EIO)
    }
  }

  /// The bytes of a file of an operator that is no secret; see ``readInput(_:limitBytes:isSecret:)``.
  public func readInput(_ path: String, limitBytes: Int) throws(ReadError) -> [UInt8] {
    try readInput(path, limitBytes: limitBytes, isSecret: false)
  }

  /// The names in a folder that are UTF-8, in no order; none when there is no folder.
  public func namesIfPresent(in path: String) throws(FileError) -> [String] {
    do throws(FileError) {
      return try names(in: path)
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }
}

/// An open file: the descriptor, and the path for messages.
public struct OpenFile: Hashable, Sendable {
  /// The system's number of the open file.
  public let descriptor: Int32
  /// The path under which it was opened.
  public let path: String

  /// An open file.
  public init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// What a file is opened for.
public enum FilePurpose: Sendable {
  /// To read what is there.
  case read
  /// To read what others have put there: no link is followed, and only a regular file is opened that belongs to this account,
  /// to the folder's owner or to root.
  case receive
  /// To append; made when it does not exist, and no link is followed.
  case append
  /// The same for what other accounts may read.
  case publish
  /// To write from the beginning; what was there is gone.
  case replace
}
