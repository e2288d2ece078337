import Glibc

/// A directory of its own, gone with the value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/sandbox-tests-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template))
  }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink("\(path)/\(name)")
    }
    closedir(directory)
    rmdir(path)
  }
}
