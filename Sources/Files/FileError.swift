public import Failures
internal import Glibc

/// A system call on a file that failed.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, as `write`.
  public let operation: String
  /// The file or folder.
  public let path: String
  /// The error number, as `ENOSPC`.
  public let code: Int32

  /// An error of one call.
  public init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Something in the place of a file that is not opened, and why: a link, a pipe, a folder, a stranger's file.
  public static func oddity(_ what: String, path: String) -> FileError {
    FileError(operation: what, path: path, code: EMEDIUMTYPE)
  }

  /// A lock that somebody else has, and who.
  public static func held(by holder: String, path: String) -> FileError {
    FileError(operation: holder, path: path, code: EAGAIN)
  }

  /// Whether what is there is no file to be opened, so that trying again helps nobody.
  public var isOddity: Bool { code == EMEDIUMTYPE }

  /// Whether somebody else has changed what this process takes for its own.
  public var isStale: Bool { code == ESTALE }

  /// Whether what is there can never be taken away: it is part of a chain in a database.
  public var isPermanent: Bool { code == Self.permanent }
  /// The error number of that.
  public static let permanent = ENOTUNIQ

  /// Whether what is there cannot be read, by whomever: a bad block, a part that is missing, something that is no file.
  public var isUnreadable: Bool {
    [EIO, EBADMSG, EINVAL, EISDIR, ENOTDIR, ELOOP, ENXIO].contains(code)
  }

  /// Whether there is no such file.
  public var isMissing: Bool { code == ENOENT }

  /// The path, the call and the system's words, on one line.
  public var description: String { "\(path): \(cause)" }

  /// The call and the system's words, without the path.
  public var cause: String {
    isOddity ? operation : "\(operation): \(String(cString: strerror(code)))"
  }

  /// What an operator can do about it.
  public var remedy: String {
    switch code {
    case ENOSPC, EDQUOT: "free some space; the ledger goes on by itself"
    case EROFS: "mount the file system writable"
    case EACCES, EPERM: "give this user read and write permission"
    case ENOENT: "check the path of the data folder"
    case ENODATA: "make the tables with `rewards store migrate`"
    case EIDRM:
      "hold what is left against a head that was noted before (`rewards ledger verify --head`), and bring a backup into another database (`rewards ledger restore DIR`)"
    case ENOTSUP: "use the version of this program that has made the tables, or a later one"
    case EAGAIN, EBUSY: "try again"
    case EPROTO: "look at the database server's log"
    case EMFILE, ENFILE: "raise the limit of open files"
    case EREMOTEIO: "let the database take writes; the ledger goes on by itself"
    case EUCLEAN:
      "stop this service and hold the ledger against a head that was noted before (`rewards ledger verify --head`); "
        + "a new start goes on from what is there"
    case ENOTCONN: "look after the database server; the ledger goes on by itself when it answers"
    case ESTALE:
      "nothing that was acknowledged is lost; start again to go on from what is there"
    default: "check the disk and the system's log"
    }
  }
}

extension FileError: FailureConvertible {
  /// What the error number means; of a database one that does not answer, or has too much to do.
  public var failure: Failure {
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
