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

  /// Writes the new file beside the old one and renames it.
  package func replaceInput(
    _ path: String, _ old: [UInt8], by bytes: [UInt8]
  ) throws(ReadError) {
    guard let real = realpath(path, nil) else { throw ReadError(path: path, code: errno) }
    defer { free(real) }
    let target = String(cString: real)
    var status = stat()
    guard stat(target, &status) == 0 else { throw ReadError(path: path, code: errno) }
    guard status.st_uid == geteuid() || geteuid() == 0 else {
      throw ReadError(path: path, what: "belongs to another account, which must change it")
    }
    let temporary = "\(target).tmp"
    _ = unlink(temporary)
    guard try WholeFile.create(bytes, at: temporary, mode: 0o600) else {
      throw ReadError(path: temporary, code: EEXIST)
    }
    func giveUp(_ error: ReadError) -> ReadError {
      _ = unlink(temporary)
      return error
    }
    let isOwned = status.st_uid == geteuid() && status.st_gid == getegid()
    guard isOwned || chown(temporary, status.st_uid, status.st_gid) == 0,
      chmod(temporary, status.st_mode & 0o7777) == 0
    else { throw giveUp(ReadError(path: path, code: errno)) }
    guard try readInput(target, limitBytes: .max, isSecret: false) == old else {
      throw giveUp(ReadError(path: path, what: "was changed meanwhile"))
    }
    guard Glibc.rename(temporary, target) == 0 else {
      throw giveUp(ReadError(path: path, code: errno))
    }
    do throws(FileError) {
      try syncFolder(FolderPath.parent(of: target))
    } catch {
      throw ReadError(path: path, code: error.code)
    }
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
