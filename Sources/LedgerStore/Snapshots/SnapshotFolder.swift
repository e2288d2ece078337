internal import CivilTime
internal import Digests
internal import Foundations
internal import Ledger

/// The snapshots of one ledger, each a line of JSON followed by the caller's bytes.
///
/// Keeps the newest two for the next start, and the first of each of the last twelve months, so that the past can be read without
/// all that came before it.
struct SnapshotFolder: Sendable {
  private static let newestKept = 2
  private static let monthsKept = 12

  let folder: String
  let fileSystem: any FileSystem

  /// A readable snapshot file.
  struct Found: Equatable, Sendable {
    let header: SnapshotHeader
    let path: String
    /// Where the payload begins.
    let payloadByte: Int
  }

  /// Returns the whole snapshots among the newest, newest first, and why others were skipped.
  func newest() throws -> (found: [Found], skipped: [String]) {
    var found: [Found] = []
    var skipped: [String] = []
    for name in try snapshotNames().prefix(Self.newestKept) {
      do {
        if let snapshot = try open("\(folder)/\(name)") {
          found.append(snapshot)
        } else {
          skipped.append("\(name): the snapshot is incomplete")
        }
      } catch let error as FileError {
        skipped.append(error.description)
      }
    }
    return (found, skipped)
  }

  /// Returns the head and payload of the newest whole snapshot of `ledger` whose head is at most the line `seq` and, with
  /// `instant`, was recorded before it; nil if there is none.
  func newest(
    of ledger: String, through seq: UInt64, before instant: Instant?
  ) throws -> (head: LedgerHead, payload: [UInt8])? {
    for name in try snapshotNames() {
      let path = "\(folder)/\(name)"
      // A writer may have removed it meanwhile.
      guard let header = try unlessMissing({ try header(path) }) ?? nil,
        header.ledger == ledger, header.head.seq <= seq,
        instant.map({ instant in header.at.map { $0 < instant } ?? false }) ?? true,
        let payload = try unlessMissing({ try open(path).flatMap(payload) }) ?? nil
      else { continue }
      return (header.head, payload)
    }
    return nil
  }

  /// Returns the payload of a snapshot; nil if it has changed since it was found.
  func payload(of snapshot: Found) throws -> [UInt8]? {
    let start = snapshot.payloadByte
    let payload = try fileSystem.reading(snapshot.path) { file in
      try fileSystem.bytes(of: file, in: start..<start + snapshot.header.payloadBytes)
    }
    return SHA256.digest(of: payload) == snapshot.header.payloadSHA256 ? payload : nil
  }

  /// Writes a snapshot, syncs it to disk, and removes those that are no longer kept.
  func write(_ header: SnapshotHeader, payload: [UInt8]) throws(FileError) {
    let digits = String(header.head.seq)
    let padded = String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    let path = "\(folder)/\(Self.prefix)\(padded)"
    try fileSystem.createDurably(path, in: folder, [header.line, payload])
    let older = try snapshotNames().dropFirst(Self.newestKept)
    let firsts = firstsOfMonths(older.reversed())
    for name in older where !firsts.contains(name) {
      try fileSystem.remove("\(folder)/\(name)")
    }
  }

  /// Returns the first of each of the last months among `names`, oldest first.
  private func firstsOfMonths(_ names: [String]) -> Set<String> {
    var firsts: [(month: Substring, name: String)] = []
    for name in names {
      // A snapshot that is unreadable or has no time is of no use.
      guard let at = (try? header("\(folder)/\(name)"))?.at else { continue }
      let month = at.description.prefix("2026-11".count)
      if firsts.last?.month != month { firsts.append((month, name)) }
    }
    return Set(firsts.suffix(Self.monthsKept).map(\.name))
  }

  private static let prefix = "snapshot-"

  /// Returns the names newest first, since they are numbers of equal length.
  private func snapshotNames() throws(FileError) -> [String] {
    try fileSystem.names(in: folder)
      .filter { $0.hasPrefix(Self.prefix) && !$0.hasSuffix(".tmp") }
      .sorted(by: >)
  }

  private func header(_ path: String) throws -> SnapshotHeader? {
    try fileSystem.reading(path) { try header(of: $0)?.header }
  }

  private func header(of file: OpenFile) throws -> (header: SnapshotHeader, end: Int)? {
    let start = try fileSystem.bytes(of: file, in: 0..<4_096)
    guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
      let header = start[..<end].withUnsafeBufferPointer({ SnapshotHeader($0) })
    else { return nil }
    return (header, end)
  }

  private func open(_ path: String) throws -> Found? {
    try fileSystem.reading(path) { file in
      guard let (header, end) = try header(of: file),
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
