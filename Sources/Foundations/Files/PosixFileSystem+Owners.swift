internal import Glibc

extension PosixFileSystem {
  /// Makes one `stat` call.
  package func isOwned(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == geteuid()
  }

  /// Opens the file, checks its type and permissions, and reads it to the end.
  package func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8] {
    let descriptor = try WholeFile.open(path)
    defer { _ = Glibc.close(descriptor) }
    if isSecret {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw ReadError(path: path, code: errno) }
      guard Self.isPrivate(status) else {
        throw ReadError(path: path, what: "others may read it; run: chmod 600 \(path)")
      }
    }
    return try WholeFile.readAll(descriptor, name: path, limitBytes: limitBytes)
  }

  /// Whether only the owner may read a file. A file of root may also be readable, but not writable, by a group of this process:
  /// that is how secrets are mounted into a container (`fsGroup`).
  private static func isPrivate(_ status: stat) -> Bool {
    if status.st_mode & 0o077 == 0 { return true }
    guard status.st_uid == 0, geteuid() != 0, status.st_mode & 0o037 == 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    groups = Array(groups.prefix(Int(max(0, getgroups(Int32(groups.count), &groups)))))
    return status.st_gid == getegid() || groups.contains(status.st_gid)
  }
}
