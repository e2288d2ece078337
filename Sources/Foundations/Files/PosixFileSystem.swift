internal import Glibc

/// The machine's own file system.
package struct PosixFileSystem: FileSystem {
  /// Creates access to the machine's own file system.
  package init() {}

  /// Opens a file with close-on-exec; new files are readable by owner and group, and published ones by everyone.
  package func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    if purpose == .receive { try checkReceivable(path) }
    let flags =
      switch purpose {
      case .read: O_RDONLY
      case .receive: O_RDONLY | O_NOFOLLOW
      case .append: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW
      case .publish: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW
      case .replace: O_RDWR | O_TRUNC | O_CREAT | O_NOFOLLOW
      }
    let mode: mode_t = purpose == .publish ? 0o644 : 0o640
    return try Interruption.retrying { () throws(FileError) in
      // Non-blocking, so as not to wait for the other end of a pipe that someone put there.
      let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, mode)
      if descriptor < 0 { throw failure("open", path) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        _ = Glibc.close(descriptor)
        throw FileError(operation: "open (not a regular file)", path: path, code: EINVAL)
      }
      if flags & O_CREAT != 0 { FolderOwner.apply(to: descriptor, at: path) }
      return OpenFile(descriptor: descriptor, path: path)
    }
  }

  /// Throws when something must not be opened. Checked first, because on some devices even opening has effects.
  private func checkReceivable(_ path: String) throws(FileError) {
    var status = stat()
    var folder = stat()
    if lstat(path, &status) != 0 { throw failure("stat", path) }
    if stat(FolderPath.parent(of: path), &folder) != 0 { throw failure("stat", path) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .oddity("it is a symbolic link", path: path)
    case S_IFDIR: throw .oddity("it is a folder", path: path)
    case S_IFIFO: throw .oddity("it is a pipe", path: path)
    default: throw .oddity("it is not a regular file", path: path)
    }
    guard [geteuid(), folder.st_uid, 0].contains(status.st_uid) else {
      throw .oddity("it belongs to another account", path: path)
    }
  }

  /// Closes the descriptor.
  package func close(_ file: OpenFile) { _ = Glibc.close(file.descriptor) }

  /// Makes one `write` call.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to file: OpenFile
  ) throws(FileError) -> Int {
    let count = Glibc.write(file.descriptor, bytes.baseAddress, bytes.count)
    if count < 0 { throw failure("write", file.path) }
    return count
  }

  /// Makes one `pread` call.
  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try Interruption.retrying { () throws(FileError) in
      let count = pread(file.descriptor, buffer.baseAddress, buffer.count, offset)
      if count < 0 { throw failure("read", file.path) }
      return count
    }
  }

  /// Makes one `fstat` call.
  package func size(of file: OpenFile) throws(FileError) -> Int {
    var status = stat()
    if fstat(file.descriptor, &status) != 0 { throw failure("stat", file.path) }
    return Int(status.st_size)
  }

  /// Makes one `ftruncate` call.
  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    if ftruncate(file.descriptor, size) != 0 { throw failure("truncate", file.path) }
  }

  /// Makes one `fdatasync` call.
  package func sync(_ file: OpenFile) throws(FileError) {
    if fdatasync(file.descriptor) != 0 { throw failure("fdatasync", file.path) }
  }

  /// Opens the folder, makes one `fsync` call, and closes it.
  package func syncFolder(_ path: String) throws(FileError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw failure("open", path) }
    defer { _ = Glibc.close(descriptor) }
    if fsync(descriptor) != 0 { throw failure("fsync", path) }
  }

  /// Makes two `stat` calls.
  package func isInPlace(_ file: OpenFile) -> Bool {
    FilePlace.leads(file.path, to: file.descriptor)
  }

  /// Makes one `rename` call.
  package func rename(_ path: String, to newPath: String) throws(FileError) {
    if Glibc.rename(path, newPath) != 0 { throw failure("rename", path) }
  }

  /// Makes one `unlink` call.
  package func remove(_ path: String) throws(FileError) {
    if unlink(path) != 0 { throw failure("unlink", path) }
  }

  /// Makes one `rmdir` call, on an empty folder.
  package func removeFolder(_ path: String) throws(FileError) {
    if rmdir(path) != 0 { throw failure("rmdir", path) }
  }

  /// Makes one `mkdir` call, with access for the owner and the group.
  package func makeFolder(_ path: String) throws(FileError) -> Bool {
    if mkdir(path, 0o750) == 0 {
      FolderOwner.apply(toFolder: path)
      return true
    }
    if errno == EEXIST { return false }
    throw failure("mkdir", path)
  }

  /// Returns the folder's entries except `.` and `..`.
  package func names(in path: String) throws(FileError) -> [String] {
    try entries(of: path).compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Makes one `rename` call for each, and never overwrites an existing entry.
  package func moveUnnameable(
    from path: String, to target: String
  ) throws(FileError) -> [String] {
    var moved: [String] = []
    for entry in try entries(of: path) where String(validating: entry, as: UTF8.self) == nil {
      // Each byte takes up to three characters of the 255 bytes that a name may have.
      let escaped = entry.prefix(64).map(Self.escape).joined()
      var name = escaped
      var number = 1
      while access("\(target)/\(name)", F_OK) == 0 {
        number += 1
        name = "\(escaped)~\(number)"
      }
      let from = Array("\(path)/".utf8) + entry + [0]
      let code = from.withUnsafeBytes { from in
        from.withMemoryRebound(to: CChar.self) { from in
          from.baseAddress.map { Glibc.rename($0, "\(target)/\(name)") } ?? -1
        }
      }
      if code != 0 { throw failure("rename", "\(path)/\(name)") }
      moved.append(name)
    }
    return moved
  }

  private static func escape(_ byte: UInt8) -> String {
    let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%")
    if isPlain { return String(UnicodeScalar(byte)) }
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
  }

  /// Returns the raw names in a folder, except `.` and `..`.
  private func entries(of path: String) throws(FileError) -> [[UInt8]] {
    guard let folder = opendir(path) else { throw failure("opendir", path) }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
    }
    return names
  }

  private func failure(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, code: errno)
  }
}
