internal import Digests
internal import Files
internal import Ledger

/// The snapshots of one ledger: the newest two, each a line of JSON and then the caller's bytes.
struct SnapshotFolder: Sendable {
  static let kept = 2

  let folder: String
  let fileSystem: any FileSystem

  /// A snapshot file that can be read.
  struct Found: Equatable, Sendable {
    let header: SnapshotHeader
    let path: String
    /// Where the payload begins.
    let payloadByte: Int
  }

  /// The whole snapshots, newest first, and why others were passed over.
  func list() throws -> (found: [Found], skipped: [String]) {
    var found: [Found] = []
    var skipped: [String] = []
    for name in try snapshotNames() {
      do {
        if let snapshot = try open("\(folder)/\(name)") {
          found.append(snapshot)
        } else {
          skipped.append("\(name): the snapshot is not whole")
        }
      } catch let error as FileError {
        skipped.append(error.description)
      }
    }
    return (found, skipped)
  }

  /// The payload of a snapshot; nil when it changed since it was found.
  func payload(of snapshot: Found) throws -> [UInt8]? {
    let start = snapshot.payloadByte
    let payload = try fileSystem.reading(snapshot.path) { file in
      try fileSystem.bytes(of: file, in: start..<start + snapshot.header.payloadBytes)
    }
    return SHA256.digest(of: payload) == snapshot.header.payloadSHA256 ? payload : nil
  }

  /// Writes a snapshot, brings it to the disk, and takes away all but the newest two.
  func write(_ header: SnapshotHeader, payload: [UInt8]) throws(FileError) {
    let digits = String(header.head.seq)
    let padded = String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    let path = "\(folder)/\(Self.prefix)\(padded)"
    try fileSystem.createDurably(path, in: folder, [header.line, payload])
    for name in try snapshotNames().dropFirst(Self.kept) {
      try fileSystem.remove("\(folder)/\(name)")
    }
  }

  private static let prefix = "snapshot-"

  /// Newest first, since the names are numbers of equal length.
  private func snapshotNames() throws(FileError) -> [String] {
    try fileSystem.names(in: folder)
      .filter { $0.hasPrefix(Self.prefix) && !$0.hasSuffix(".tmp") }
      .sorted(by: >)
  }

  private func open(_ path: String) throws -> Found? {
    try fileSystem.reading(path) { file in
      let start = try fileSystem.bytes(of: file, in: 0..<4_096)
      guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
        let header = start[..<end].withUnsafeBufferPointer({ SnapshotHeader($0) }),
        try fileSystem.size(of: file) == end + 1 + header.payloadBytes
      else { return nil }
      var hash = SHA256()
      let range = end + 1..<end + 1 + header.payloadBytes
      _ = try BlockReader(fileSystem: fileSystem).read(file, range) { bytes in
        hash.update(UnsafeRawBufferPointer(bytes))
        return (bytes.count, false)
      }
      guard hash.finish() == header.payloadSHA256 else { return nil }
      return Found(header: header, path: path, payloadByte: end + 1)
    }
  }
}
