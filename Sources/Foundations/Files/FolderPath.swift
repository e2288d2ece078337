/// Computes with paths as text, without the file system.
public enum FolderPath {
  /// Returns the folder that contains `path`, or `.` for a bare name.
  public static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
