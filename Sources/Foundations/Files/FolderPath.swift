/// Computes with paths as text, without the file system.
package enum FolderPath {
  /// Returns the folder that contains `path`, or `.` for a bare name.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
