internal import Glibc

/// Reads and creates small files of the machine in one piece. Blocks. For an operator's files, not a user's.
package enum WholeFile {
  /// Returns the bytes of a file named on a command line. If it is a pipe, waits for the other end.
  package static func readStream(
    _ path: String, limitBytes: Int
  ) throws(ReadError) -> [UInt8] {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path, limitBytes: limitBytes)
  }

  /// Returns the remaining bytes of an open descriptor; errors show `name`.
  package static func readAll(
    _ descriptor: Int32, name: String, limitBytes: Int
  ) throws(ReadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw ReadError(path: name, code: errno)
      }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= limitBytes else {
        throw ReadError(path: name, what: "is longer than \(limitBytes) bytes")
      }
    }
  }

  /// Returns at most the first `count` bytes of the regular file at `path`.
  package static func beginning(of path: String, bytes count: Int) throws(ReadError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(descriptor, &bytes, count, 0)
    guard got >= 0 else { throw ReadError(path: path, code: errno) }
    return Array(bytes.prefix(got))
  }

  /// Creates a file with these permissions, unless it exists; returns whether it did so.
  package static func create(
    _ bytes: [UInt8], at path: String, mode: UInt32
  ) throws(ReadError) -> Bool {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    if descriptor < 0, errno == EEXIST { return false }
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ReadError(path: path, code: errno) }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw ReadError(path: path, code: errno) }
    return true
  }

  /// Opens a regular file and nothing else: a service could wait forever for a pipe or a device.
  static func open(_ path: String) throws(ReadError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ReadError(path: path, what: "is not a regular file")
    }
    return descriptor
  }
}
