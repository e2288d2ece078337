internal import Glibc

/// What becomes of a line of a file.
package enum LineEdit: Sendable {
  /// It stays.
  case keep
  /// It goes, and the lines after it have lower numbers.
  case remove
  /// It becomes an empty line.
  case empty
}

extension FileSystem {
  /// Edits those lines of a file that contain one of `texts`, as `edit` decides, and replaces the file as a whole and on disk;
  /// returns how many lines went. If none goes, the file is left alone.
  ///
  /// Memory depends on the number of edited lines, not on the file's size. A line longer than a block is not looked at.
  /// Only the caller may change the file meanwhile.
  package func editLines(
    of path: String, containing texts: [[UInt8]], openedFor purpose: FilePurpose = .read,
    _ edit: ([UInt8]) -> LineEdit
  ) throws -> Int {
    let file = try open(path, for: purpose)
    defer { close(file) }
    let size = try size(of: file)
    // The bytes that go, in order.
    var gone: [Range<Int>] = []
    func look(_ line: UnsafeBufferPointer<UInt8>, at start: Int) {
      guard texts.contains(where: line.contains) else { return }
      switch edit(Array(line)) {
      case .keep: break
      case .remove: gone.append(start..<min(size, start + line.count + 1))
      case .empty: gone.append(start..<start + line.count)
      }
    }
    let rest = try BlockReader(fileSystem: self).readLines(file, 0..<size) { line, start in
      look(line, at: start)
      return .next
    }
    // The last line may have no end.
    if let rest, rest > 0 {
      try bytes(of: file, in: size - rest..<size).withUnsafeBufferPointer {
        look($0, at: size - rest)
      }
    }
    if gone.isEmpty { return 0 }
    let temporary = path + Self.editedEnd
    let fresh = try open(temporary, for: .replace)
    do {
      defer { close(fresh) }
      var start = 0
      for range in gone + [size..<size] {
        try copy(start..<range.lowerBound, of: file, to: fresh)
        start = range.upperBound
      }
      try sync(fresh)
    }
    try rename(temporary, to: path)
    try syncFolder(FolderPath.parent(of: path))
    return gone.count
  }

  /// The end of the name of a file that ``editLines(of:containing:openedFor:_:)`` is writing, or was when it was
  /// interrupted: nothing in it is needed.
  package static var editedEnd: String { ".edited" }

  private func copy(_ range: Range<Int>, of file: OpenFile, to fresh: OpenFile) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
      try writeAll(bytes(of: file, in: start..<min(range.upperBound, start + 1 << 20)), to: fresh)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns whether `text`, which is not empty, stands somewhere in these bytes.
  fileprivate func contains(_ text: [UInt8]) -> Bool {
    guard let base = baseAddress, let first = text.first else { return false }
    var start = 0
    while start + text.count <= count,
      let found = memchr(base + start, Int32(first), count - start - text.count + 1)
    {
      if memcmp(found, text, text.count) == 0 { return true }
      start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
    }
    return false
  }
}
