import Failures
import Foundations
import Glibc
import LedgerStore

/// Writes a demo's files into a folder of its own.
struct DemoFolder {
  let path: String

  /// Creates the folder; refuses one that is not empty.
  init(creating path: String) throws {
    self.path = path
    let fileSystem = PosixFileSystem()
    do throws(FileError) {
      if try !fileSystem.makeFolder(path), try !fileSystem.names(in: path).isEmpty {
        throw FileError(operation: "use", path: path, code: ENOTEMPTY)
      }
      _ = try fileSystem.makeFolder("\(path)/jobs")
    } catch {
      throw Failure(
        .cannotCreate, "cannot use \(path): \(String(cString: strerror(error.code)))",
        remedy: "Name an empty folder with --data DIR, or remove this one: rm -r \(path)")
    }
  }

  /// Writes a file; `isSecret` makes it readable only by its owner.
  func write(_ text: String, to name: String, isSecret: Bool = false) throws {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw ReadError(path: file, code: errno) }
    defer { close(descriptor) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw ReadError(path: file, code: errno) }
      bytes = bytes.dropFirst(count)
    }
  }
}
