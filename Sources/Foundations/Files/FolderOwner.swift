internal import Glibc

/// Gives what root creates in another account's folder to the owner of that folder.
///
/// Otherwise a command that an administrator runs could leave files that the service's account cannot write.
package enum FolderOwner {
  /// Gives an open file that root owns to the owner of the folder that contains `path`. Does nothing for other accounts.
  package static func apply(to descriptor: Int32, at path: String) {
    guard geteuid() == 0, let owner = owner(above: path) else { return }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == 0 {
      _ = fchown(descriptor, owner.uid, owner.gid)
    }
  }

  /// Gives a folder that root has just created to the owner of its parent.
  static func apply(toFolder path: String) {
    guard geteuid() == 0, let owner = owner(above: path) else { return }
    _ = lchown(path, owner.uid, owner.gid)
  }

  /// Returns the owner of the folder that contains `path`, or nil for root.
  private static func owner(above path: String) -> (uid: uid_t, gid: gid_t)? {
    var status = stat()
    guard stat(FolderPath.parent(of: path), &status) == 0, status.st_uid != 0 else { return nil }
    return (status.st_uid, status.st_gid)
  }
}
