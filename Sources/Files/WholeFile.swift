internal import Glibc

/// Reads and makes small files of the machine, whole. Blocks; for files of an operator, not of a user.
public enum WholeFile {
  /// The bytes of what an operator names on a command line, which may be a pipe: then this waits for its other end.
  public static func readStream(
    _ path: String, limitBytes: Int
  ) throws(ReadError) -> [UInt8] {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path, limitBytes: limitBytes)
  }

  /// What is left to read from an open descriptor; `name` stands in errors.
  public static func readAll(
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

  /// The first bytes of the regular file at `path`, at most so many.
  public static func beginning(of path: String, bytes count: Int) throws(ReadError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(descriptor, &bytes, count, 0)
    guard got >= 0 else { throw ReadError(path: path, code: errno) }
    return Array(bytes.prefix(got))
  }

  /// Makes a file that is not there yet, with these permissions; returns whether it was not.
  public static func create(
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

  /// Opens a regular file: a pipe or a device would be waited for, by a service for ever.
  static func open(_ path: String) throws(ReadError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ReadError(path: path, what: "is no regular file")
    }
    return descriptor
  }
}
