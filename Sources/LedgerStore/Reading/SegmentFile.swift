internal import Foundations
internal import Glibc
package import Ledger

/// A file of a ledger, named by the sequence number of its first line.
///
/// Name and path are those of the plain form, even if only the packed form exists: ``SegmentFileSystem`` finds that one.
struct SegmentFile: Hashable, Sendable {
  /// The suffix of a plain segment's name.
  static let suffix = ".jsonl"
  /// The additional suffix of a packed segment's name.
  static let packedSuffix = ".zst"

  let firstSeq: UInt64
  let name: String
  let path: String
  /// Whether only the packed form exists.
  let isPacked: Bool

  /// Creates a reference to the segment of `folder` that begins with `firstSeq`.
  init(firstSeq: UInt64, in folder: String, isPacked: Bool = false) {
    self.firstSeq = firstSeq
    self.isPacked = isPacked
    let digits = String(firstSeq)
    name = String(repeating: "0", count: max(0, 20 - digits.count)) + digits + Self.suffix
    path = "\(folder)/\(name)"
  }

  /// Returns the number of the first line of the plain segment with this name; nil if it is not a segment's name.
  static func firstSeq(of name: some StringProtocol) -> UInt64? {
    UInt64(name.dropLast(suffix.count))
  }

  /// Returns the segments of a folder in order, and the names of files that look like segments but are not.
  static func list(
    in folder: String, _ fileSystem: any FileSystem
  ) throws(LedgerError) -> (segments: [SegmentFile], strangers: [String]) {
    do throws(FileError) {
      var segments: [UInt64: SegmentFile] = [:]
      var strangers: [String] = []
      for name in try fileSystem.names(in: folder) where name.contains(suffix) {
        let isPacked = name.hasSuffix(packedSuffix)
        let plain = isPacked ? name.dropLast(packedSuffix.count) : name[...]
        if let seq = firstSeq(of: plain),
          case let segment = SegmentFile(firstSeq: seq, in: folder, isPacked: isPacked),
          segment.name == plain
        {
          // A segment whose packing was cut short has both forms: the plain one counts.
          if !isPacked || segments[seq] == nil { segments[seq] = segment }
        } else {
          strangers.append(name)
        }
      }
      return (segments.values.sorted { $0.firstSeq < $1.firstSeq }, strangers.sorted())
    } catch {
      // A missing folder holds no segments: there is no ledger.
      if error.code == ENOENT { return ([], []) }
      throw LedgerError(error)
    }
  }
}

extension Damage {
  /// The line's number in the ledger, from the segment's name; nil for a file as a whole.
  package var seq: UInt64? {
    guard line > 0, let first = SegmentFile.firstSeq(of: segment) else { return nil }
    let (seq, isTooMuch) = first.addingReportingOverflow(UInt64(line) - 1)
    return isTooMuch ? nil : seq
  }

  /// Creates the damage of a file that looks like a segment but is not.
  init(stranger name: String) {
    self.init(
      kind: .segmentName, segment: name, line: 0, byte: 0,
      what: "this is not a segment name: move the file away, or unpack it")
  }
}
