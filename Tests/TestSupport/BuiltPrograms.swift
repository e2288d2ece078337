import Foundation

/// The programs of this package, built beside the tests.
public enum BuiltPrograms {
  /// The path of `rewards`.
  public static var rewards: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("rewards").path
  }
}
