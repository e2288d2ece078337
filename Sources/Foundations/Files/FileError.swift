package import Failures
internal import Glibc

/// A failed system call on a file.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the call, as in `write`.
  package let operation: String
  /// The file or folder.
  package let path: String
  /// The error number, as in `ENOSPC`.
  package let code: Int32

  /// Creates the error of one call.
  package init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Returns the error for something that must not be opened as a file, and why: a link, a pipe, a folder, a stranger's file.
  package static func oddity(_ what: String, path: String) -> FileError {
    FileError(operation: what, path: path, code: EMEDIUMTYPE)
  }

  /// Returns the error for a lock that another process holds, naming the holder.
  package static func held(by holder: String, path: String) -> FileError {
    FileError(operation: holder, path: path, code: EAGAIN)
  }

  /// Whether the path leads to something that must not be opened as a file, so that retrying is pointless.
  package var isOddity: Bool { code == EMEDIUMTYPE }

  /// Whether another process has changed what this one considers its own.
  package var isStale: Bool { code == ESTALE }

  /// Whether the file can never be removed, because it is part of a chain in a database.
  package var isPermanent: Bool { code == Self.permanent }
  /// The error number of a file that can never be removed.
  package static let permanent = ENOTUNIQ

  /// Whether no account could read it: a bad block, a missing part, or something that is not a file.
  package var isUnreadable: Bool {
    [EIO, EBADMSG, EINVAL, EISDIR, ENOTDIR, ELOOP, ENXIO].contains(code)
  }

  /// Whether there is no such file.
  package var isMissing: Bool { code == ENOENT }

  /// The path, the call and the system's message, on one line.
  package var description: String { "\(path): \(cause)" }

  /// The call and the system's message, without the path.
  package var cause: String {
    isOddity ? operation : "\(operation): \(String(cString: strerror(code)))"
  }

  /// What an operator can do about it.
  package var remedy: String {
    switch code {
    case ENOSPC, EDQUOT: "free some space; the ledger then continues by itself"
    case EROFS: "make the file system writable"
    case EACCES, EPERM: "give this user read and write permission"
    case ENOENT: "check the path of the data folder"
    case ENODATA: "create the tables with `rewards store migrate`"
    case EIDRM:
      "compare what is left with a head you saved (`rewards ledger verify --head`), then restore a backup into another database (`rewards ledger restore DIR`)"
    case ENOTSUP: "use the version of rewards that created the tables, or a later one"
    case EAGAIN, EBUSY: "try again"
    case EPROTO: "check the database server's log"
    case EMFILE, ENFILE: "raise the limit on open files"
    case EREMOTEIO: "make the database accept writes; the ledger then continues by itself"
    case EUCLEAN:
      "stop this service and compare the ledger with a head you saved (`rewards ledger verify --head`); "
        + "once restarted, it continues from what is there"
    case ENOTCONN: "check the database server; once it answers, the ledger continues by itself"
    case ESTALE:
      "nothing acknowledged is lost; restart to continue from what is there"
    default: "check the disk and the system log"
    }
  }
}

extension FileError: FailureConvertible {
  /// The failure that the error number stands for, including that of a database that does not answer or is overloaded.
  package var failure: Failure {
    let exitCode: ExitCode =
      switch code {
      case ESTALE, EBUSY: .tryAgain
      case ENOTCONN: .unavailable
      case EACCES, EPERM: .permission
      default: .inputOutput
      }
    return Failure(exitCode, description, remedy: remedy)
  }
}
