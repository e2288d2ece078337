internal import Glibc

/// What root makes in somebody else's folder belongs to that folder's owner: a command that an administrator runs must not leave files
/// that the service's own account cannot write.
public enum FolderOwner {
  /// Gives a file that root has open, and owns, to the owner of the folder in which `path` lies. Nothing for any other account.
  public static func take(_ descriptor: Int32, at path: String) {
    guard geteuid() == 0, let owner = owner(above: path) else { return }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == 0 {
      _ = fchown(descriptor, owner.uid, owner.gid)
    }
  }

  /// The same for a folder that root has just made.
  static func takeFolder(_ path: String) {
    guard geteuid() == 0, let owner = owner(above: path) else { return }
    _ = lchown(path, owner.uid, owner.gid)
  }

  /// Who owns the folder in which `path` lies; nil for root.
  private static func owner(above path: String) -> (uid: uid_t, gid: gid_t)? {
    var status = stat()
    guard stat(FolderPath.parent(of: path), &status) == 0, status.st_uid != 0 else { return nil }
    return (status.st_uid, status.st_gid)
  }
}
