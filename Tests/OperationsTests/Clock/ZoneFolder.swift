import Foundation
import Foundations

/// A time zone database of its own, whose releases are made up: zones get the rules of other ones. Gone with the value.
final class ZoneFolder: Sendable {
  let path: String
  let zones: SystemZones

  /// A database of release `version`, in which each zone has the rules of the real one with the name beside it.
  init(_ version: String, _ rules: [String: String]) throws {
    path = FileManager.default.temporaryDirectory.path + "/zi-\(UUID().uuidString.prefix(13))"
    try Self.write(version, rules, to: path)
    zones = SystemZones(directory: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Puts another release where this one was, as a package manager does.
  func install(_ version: String, _ rules: [String: String]) throws {
    try Self.write(version, rules, to: path)
  }

  private static func write(_ version: String, _ rules: [String: String], to path: String) throws {
    for (name, source) in rules {
      let file = URL(fileURLWithPath: "\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let bytes = try Data(
        contentsOf: URL(fileURLWithPath: "\(SystemZones.defaultDirectory)/\(source)"))
      try bytes.write(to: file)
    }
    try Data("# version \(version)\n".utf8).write(to: URL(fileURLWithPath: "\(path)/tzdata.zi"))
  }
}
