/// The files that this process works on: the machine's own and those of databases, but in a simulation of the whole service, which
/// has a disk in memory.
public enum WorkingFiles {
  /// Set once, before anything runs.
  nonisolated(unsafe) private(set) static var substitute: (any FileSystem)?
  /// Set while a command reads its configuration, before it touches what lies there.
  nonisolated(unsafe) private static var mounted: MountedFiles?

  /// The files behind every path that nobody gives another file system for.
  public static var system: any FileSystem { substitute ?? mounted ?? PosixFileSystem() }

  /// Whether a disk stands in the machine's place: it has no accounts and no locks of the system.
  public static var areSubstituted: Bool { substitute != nil }

  /// Puts a disk in the place of the machine's from now on. To be called once, before any file is used.
  public static func replace(by fileSystem: any FileSystem) { substitute = fileSystem }

  /// Lets paths that begin with `root` lead to other files from now on. To be called once, before anything runs.
  public static func mount(_ fileSystem: any FileSystem, at root: String) {
    mounted = MountedFiles(base: PosixFileSystem(), root: root, files: fileSystem)
  }
}
