/// The files that this process works on: the machine's own, but in a simulation of the whole service, which has a disk in memory.
public enum WorkingFiles {
  /// Set once, before anything runs.
  nonisolated(unsafe) private(set) static var substitute: (any FileSystem)?

  /// The files behind every path that nobody gives another file system for.
  public static var system: any FileSystem { substitute ?? PosixFileSystem() }

  /// Whether a disk stands in the machine's place: it has no accounts and no locks of the system.
  public static var areSubstituted: Bool { substitute != nil }

  /// Puts a disk in the place of the machine's from now on. To be called once, before any file is used.
  public static func replace(by fileSystem: any FileSystem) { substitute = fileSystem }
}
