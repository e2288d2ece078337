internal import Glibc

/// One file of a ledger, named by the sequence number of its first line.
struct SegmentFile: Hashable, Sendable {
  let firstSeq: UInt64
  let name: String
  let path: String

  /// The segment of `folder` that begins with `firstSeq`.
  init(firstSeq: UInt64, in folder: String) {
    self.firstSeq = firstSeq
    let digits = String(firstSeq)
    name = String(repeating: "0", count: max(0, 20 - digits.count)) + digits + Self.suffix
    path = "\(folder)/\(name)"
  }

  /// The segments of a folder in order, and the names of files that look like segments and are none.
  static func list(
    in folder: String, _ fileSystem: any FileSystem
  ) throws(LedgerError) -> (segments: [SegmentFile], strangers: [String]) {
    do throws(FileError) {
      var segments: [SegmentFile] = []
      var strangers: [String] = []
      for name in try fileSystem.names(in: folder) where name.contains(suffix) {
        if let seq = UInt64(name.dropLast(suffix.count)),
          case let segment = SegmentFile(firstSeq: seq, in: folder), segment.name == name
        {
          segments.append(segment)
        } else {
          strangers.append(name)
        }
      }
      return (segments.sorted { $0.firstSeq < $1.firstSeq }, strangers.sorted())
    } catch {
      // A folder that is not there holds no segments: there is no ledger.
      if error.code == ENOENT { return ([], []) }
      throw LedgerError(error)
    }
  }

  private static let suffix = ".jsonl"
}
