internal import Glibc

/// Checks where an open file is.
package enum FilePlace {
  /// Whether `path` leads to the open file `descriptor`. Assumes so where that cannot be determined.
  package static func leads(_ path: String, to descriptor: Int32) -> Bool {
    var (there, open) = (stat(), stat())
    guard stat(path, &there) == 0 else { return errno != ENOENT && errno != ENOTDIR }
    guard fstat(descriptor, &open) == 0 else { return true }
    return there.st_ino == open.st_ino && there.st_dev == open.st_dev
  }
}
