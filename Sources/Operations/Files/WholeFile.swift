internal import Glibc

/// Reads and writes small files whole. Blocks; for files of an operator, not of a user.
public enum WholeFile {
  /// The bytes of the file at `path`; throws when it cannot be read or is longer than `limitBytes`.
  public static func read(_ path: String, limitBytes: Int) throws(ReadError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    return try readAll(descriptor, name: path, limitBytes: limitBytes)
  }

  /// The bytes of a file that nobody but its owner may read; throws when others may.
  public static func readPrivate(_ path: String, limitBytes: Int) throws(ReadError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw ReadError(path: path, code: errno) }
    guard status.st_mode & 0o077 == 0 else {
      throw ReadError(path: path, what: "others may read it; run: chmod 600 \(path)")
    }
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

  /// Puts `bytes` at `path`, whole or not at all: under another name first.
  public static func write(_ bytes: [UInt8], to path: String) throws(ReadError) {
    let temporary = path + ".tmp"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      written += count
    }
    let isWhole = written == bytes.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWhole, rename(temporary, path) == 0 else {
      let failure = ReadError(path: path, code: isWhole ? errno : code)
      unlink(temporary)
      throw failure
    }
  }

  private static func open(_ path: String) throws(ReadError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadError(path: path, code: errno) }
    return descriptor
  }
}
