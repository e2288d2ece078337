internal import Foundations
internal import Glibc

extension FileError {
  /// Creates the error that the equivalent system call would have returned.
  init(_ error: DatabaseError, _ operation: String, path: String) {
    self.init(
      operation: "\(operation) in the database (\(error.description))", path: path,
      code: Self.code(of: error))
  }

  /// Returns the error for a write after another worker has taken over the ledger.
  static func leaseLost(path: String) -> FileError {
    FileError(operation: "write: another worker holds the lease", path: path, code: ESTALE)
  }

  /// Returns the error for a write without a lease.
  static func leaseMissing(path: String) -> FileError {
    FileError(operation: "write without the lease", path: path, code: EROFS)
  }

  /// Returns the `errno` for a class or code of PostgreSQL's appendix A.
  private static func code(of error: DatabaseError) -> Int32 {
    switch error.state {
    case "53100": ENOSPC
    case "53200": ENOMEM
    case "23505": EEXIST
    // The database, or the whole server, accepts no writes.
    case "25006": EREMOTEIO
    case "42501": EACCES
    case "3F000", "42P01": ENODATA
    case ShardHead.missingRow: EIDRM
    case "0A000": ENOTSUP
    // A lock or statement took longer than the server allows. Not `EAGAIN`, which means that another process holds a lock.
    case "55P03", "57014": EBUSY
    case _ where error.state.hasPrefix("28"): EACCES
    case _ where error.isDisconnection || error.state.hasPrefix("53"): ENOTCONN
    case _ where error.wantsAnotherTry: EBUSY
    default: EPROTO
    }
  }
}
