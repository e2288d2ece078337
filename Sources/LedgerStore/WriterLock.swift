internal import Foundations
internal import Glibc
internal import LinuxShims

/// The lock that makes a process the only writer of a data folder, held for the value's lifetime.
///
/// It is an open-file-description lock on a close-on-exec descriptor: the system frees it when the process ends, however it ends.
/// The file names its holder.
package final class WriterLock: Sendable {
  /// -1 if the files are not on the machine's own file system.
  private let descriptor: Int32
  private let path: String
  private let held: (any HeldLock)?

  /// Whether another process is, or could be, the writer because the lock's file was removed or replaced.
  package var isLost: Bool {
    held?.isLost ?? (descriptor >= 0 && !FilePlace.leads(path, to: descriptor))
  }

  /// Why the lock cannot be renewed at the moment; nil while all is well.
  package var doubt: String? { held?.doubt }

  /// Calls `body` once, on one of the lock's threads, when another process has become the writer.
  package func whenLost(_ body: @escaping @Sendable () -> Void) { held?.whenLost(body) }

  /// Takes the lock, or fails at once with an error that names the holder.
  ///
  /// `command` describes this process in the file, next to its process id, for example `rewards serve`.
  package init(_ directory: DataDirectory, command: String) throws(LedgerError) {
    let path = directory.lock
    self.path = path
    held = try Self.hold(path, in: directory.files)
    if held != nil {
      descriptor = -1
      return
    }
    // Follows no link: its target would be overwritten with our name.
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard descriptor >= 0 else {
      if errno == ELOOP {
        throw LedgerError(.oddity("it is a symbolic link; remove it", path: path))
      }
      throw LedgerError(FileError(operation: "open", path: path, code: errno))
    }
    FolderOwner.apply(to: descriptor, at: path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw LedgerError(.oddity("it is not a regular file; remove it", path: path))
    }
    guard Self.acquire(descriptor) else {
      let code = errno
      let holder = Self.holder(descriptor)
      if code != EAGAIN && code != EACCES {
        throw LedgerError(FileError(operation: "lock", path: path, code: code))
      }
      throw Self.taken(path, by: holder)
    }
    Self.sign(descriptor, "\(getpid()) \(command.prefix(200))\n")
  }

  // Runs after a failed init too: nothing else may close the descriptor, or an unrelated file is hit.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Takes the lock of a file system that has its own; nil if the operating system's locks apply.
  private static func hold(
    _ path: String, in fileSystem: any FileSystem
  ) throws(LedgerError) -> (any HeldLock)? {
    do throws(FileError) {
      return try fileSystem.holdLock(of: path)
    } catch {
      throw error.code == EAGAIN ? taken(path, by: error.operation) : LedgerError(error)
    }
  }

  private static func taken(_ path: String, by holder: String) -> LedgerError {
    LedgerError(
      .locked, place: path, cause: "the data folder is held by \(holder)",
      remedy:
        "if a service holds it, run this where its control socket can be reached; if a command does, wait"
    )
  }

  /// Returns whether the lock could be taken; `errno` says why not.
  ///
  /// Retries for up to half a second in two cases. A child that this process is just starting holds a copy of a closed descriptor
  /// until it has become another program. A new holder may not have written its name yet, so that the file is empty or names a
  /// process that is gone.
  private static func acquire(_ descriptor: Int32) -> Bool {
    for _ in 0..<50 {
      if linux_try_lock_exclusive(descriptor) == 0 { return true }
      guard errno == EAGAIN || errno == EACCES else { return false }
      if let pid = signature(descriptor)?.pid, pid != getpid(), kill(pid, 0) == 0 || errno == EPERM
      {
        errno = EAGAIN
        return false
      }
      usleep(10_000)
    }
    return linux_try_lock_exclusive(descriptor) == 0
  }

  /// Writes the holder's name, truncating only afterwards, so that the file is never empty. The lock holds even if this fails.
  private static func sign(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
    _ = ftruncate(descriptor, bytes.count)
  }

  private static func holder(_ descriptor: Int32) -> String {
    guard let (pid, command) = signature(descriptor) else { return "another process" }
    return command.isEmpty ? "pid \(pid)" : "pid \(pid) (\(command))"
  }

  /// Returns the last holder that wrote its name into the file.
  private static func signature(_ descriptor: Int32) -> (pid: pid_t, command: String)? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let parts = text.prefix { $0 != "\n" }.split(separator: " ", maxSplits: 1)
    guard let first = parts.first, let pid = pid_t(first), pid > 0 else { return nil }
    return (pid, parts.count > 1 ? String(parts[1]) : "")
  }
}
