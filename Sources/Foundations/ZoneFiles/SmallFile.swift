internal import Glibc

/// Reads the beginnings of regular files.
enum SmallFile {
  /// Returns the first bytes of the file, at most `limitBytes`; nil if it cannot be read or is not a regular file.
  static func read(_ path: String, limitBytes: Int) -> [UInt8]? {
    // Non-blocking, so that a pipe at this path cannot hang the caller.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let capacity = min(max(Int(status.st_size), 0), limitBytes)
    var bytes = [UInt8](repeating: 0, count: capacity)
    var filled = 0
    while filled < capacity {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress?.advanced(by: filled), capacity - filled)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(capacity - filled)
    return bytes
  }
}
