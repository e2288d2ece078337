internal import Glibc

/// A temporary folder on disk that no other account may enter.
package struct ScratchFolder: Sendable {
  /// The folder's path.
  package let path: String

  /// Creates a folder with a unique name in `parent` (`mkdtemp(3)`); throws ``FileError`` on failure.
  package init(in parent: String) throws(FileError) {
    var name = Array("\(parent)/rewards-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw FileError(operation: "mkdtemp", path: parent, code: errno)
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and everything in it, as far as possible.
  package func remove() { Self.remove(path) }

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
