/// Works on paths as texts; asks no file system.
public enum FolderPath {
  /// The folder in which `path` lies, `.` for a mere name.
  public static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
