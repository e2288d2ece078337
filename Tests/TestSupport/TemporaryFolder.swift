import Foundation

/// A folder of its own for one test, gone with the value.
///
/// Its path is short enough for a socket in it.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// A new, empty folder.
  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/rw-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, for its owner only unless told otherwise, and returns its path.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  /// Makes `other` the same as this.
  public func copy(to other: TemporaryFolder) throws {
    try FileManager.default.removeItem(atPath: other.path)
    try FileManager.default.copyItem(atPath: path, toPath: other.path)
  }
}
