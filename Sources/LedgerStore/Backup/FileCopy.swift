internal import Digests
internal import Foundations
internal import Glibc

/// Copies whole files and verifies them by digest. All calls block.
struct FileCopy {
  let fileSystem: any FileSystem

  private static let pieceBytes = 1 << 20

  /// Copies a file to `target` under a temporary name, syncs it, reads it back, and returns its digest.
  ///
  /// Throws ``FileError`` if the digest is not `expected`, or the bytes read back differ from those written.
  func copy(
    _ path: String, to target: (Digest) -> String, in folder: String, expected: Digest? = nil
  ) throws -> Digest {
    let temporary = "\(folder)/copying.tmp"
    do {
      let digest = try write(path, to: temporary)
      guard try self.digest(of: temporary) == digest, expected == nil || expected == digest else {
        throw FileError(operation: "read back", path: path, code: EIO)
      }
      try fileSystem.rename(temporary, to: target(digest))
      return digest
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
  }

  private func write(_ path: String, to temporary: String) throws -> Digest {
    let copy = try fileSystem.open(temporary, for: .replace)
    defer { fileSystem.close(copy) }
    var hash = SHA256()
    try eachPiece(of: path) { piece in
      hash.update(piece)
      try fileSystem.writeAll(piece, to: copy)
    }
    try fileSystem.sync(copy)
    return hash.finish()
  }

  private func digest(of path: String) throws -> Digest {
    var hash = SHA256()
    try eachPiece(of: path) { hash.update($0) }
    return hash.finish()
  }

  private func eachPiece(of path: String, _ body: ([UInt8]) throws -> Void) throws {
    let file = try fileSystem.open(path, for: .receive)
    defer { fileSystem.close(file) }
    var offset = 0
    while true {
      let piece = try fileSystem.bytes(of: file, in: offset..<offset + Self.pieceBytes)
      if piece.isEmpty { return }
      try body(piece)
      offset += piece.count
    }
  }
}

extension FileError {
  /// Returns the error for a file that became shorter while it was read.
  static func shortened(_ path: String) -> FileError {
    FileError(operation: "read (the file became shorter)", path: path, code: EIO)
  }
}
