internal import Files
internal import Glibc
internal import PostgreSQL

extension FileError {
  /// What a database refused, as the system call whose place it takes would have failed.
  init(_ error: DatabaseError, _ operation: String, path: String) {
    self.init(
      operation: "\(operation) in the database (\(error.description))", path: path,
      code: Self.code(of: error))
  }

  /// What is written after another worker has taken the ledger over.
  static func leaseLost(path: String) -> FileError {
    FileError(operation: "write: another worker holds the lease", path: path, code: ESTALE)
  }

  /// What this process may not write, as it holds no lease.
  static func leaseMissing(path: String) -> FileError {
    FileError(operation: "write without the lease", path: path, code: EROFS)
  }

  /// Classes and codes of PostgreSQL's appendix A.
  private static func code(of error: DatabaseError) -> Int32 {
    switch error.state {
    case "53100": ENOSPC
    case "53200": ENOMEM
    case "23505": EEXIST
    // A database, or a whole server, that takes no writes.
    case "25006": EREMOTEIO
    case "42501": EACCES
    case "3F000", "42P01": ENODATA
    case ShardHead.missingRow: EIDRM
    case "0A000": ENOTSUP
    // A lock or a statement that took longer than the server lets it. Not `EAGAIN`, which a lock says that somebody holds.
    case "55P03", "57014": EBUSY
    case _ where error.state.hasPrefix("28"): EACCES
    case _ where error.isDisconnection || error.state.hasPrefix("53"): ENOTCONN
    case _ where error.wantsAnotherTry: EBUSY
    default: EPROTO
    }
  }
}
