internal import Glibc

/// A folder on the disk that nobody else may enter, for what is needed for a while.
public struct ScratchFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes a folder with a name of its own in `parent`; throws ``FileError`` when that cannot be (`mkdtemp(3)`).
  public init(in parent: String) throws(FileError) {
    var name = Array("\(parent)/rewards-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw FileError(operation: "mkdtemp", path: parent, code: errno)
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Takes the folder away with all that is in it, as far as that can be done.
  public func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    let files = PosixFileSystem()
    do throws(FileError) {
      for name in try files.names(in: path) { remove("\(path)/\(name)") }
      try files.removeFolder(path)
    } catch {
      try? files.remove(path)
    }
  }
}
