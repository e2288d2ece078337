import Foundation

/// The programs of this package, built beside the tests.
public enum BuiltPrograms {
  /// The path of `rewards`.
  public static var rewards: String { path(of: "rewards") }
  /// The path of `simulation`.
  public static var simulation: String { path(of: "simulation") }

  private static func path(of name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name).path
  }
}
