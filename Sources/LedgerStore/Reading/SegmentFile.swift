internal import Files
internal import Glibc
public import Ledger

/// One file of a ledger, named by the sequence number of its first line.
///
/// Name and path are those of its plain form, also when only the packed one is there: ``SegmentFileSystem`` finds that.
struct SegmentFile: Hashable, Sendable {
  /// How the name of a plain segment ends.
  static let suffix = ".jsonl"
  /// What the name of a packed one has behind that.
  static let packedSuffix = ".zst"

  let firstSeq: UInt64
  let name: String
  let path: String
  /// Whether only the packed form is there.
  let isPacked: Bool

  /// The segment of `folder` that begins with `firstSeq`.
  init(firstSeq: UInt64, in folder: String, isPacked: Bool = false) {
    self.firstSeq = firstSeq
    self.isPacked = isPacked
    let digits = String(firstSeq)
    name = String(repeating: "0", count: max(0, 20 - digits.count)) + digits + Self.suffix
    path = "\(folder)/\(name)"
  }

  /// The first line of the plain segment of this name; nil for the name of none.
  static func firstSeq(of name: some StringProtocol) -> UInt64? {
    UInt64(name.dropLast(suffix.count))
  }

  /// The segments of a folder in order, and the names of files that look like segments and are none.
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
          // Of a segment whose packing was cut short there are both: the plain one counts.
          if !isPacked || segments[seq] == nil { segments[seq] = segment }
        } else {
          strangers.append(name)
        }
      }
      return (segments.values.sorted { $0.firstSeq < $1.firstSeq }, strangers.sorted())
    } catch {
      // A folder that is not there holds no segments: there is no ledger.
      if error.code == ENOENT { return ([], []) }
      throw LedgerError(error)
    }
  }
}

extension Damage {
  /// The number of the line in the ledger, by the segment's name; nil for a file as a whole.
  public var seq: UInt64? {
    guard line > 0, let first = SegmentFile.firstSeq(of: segment) else { return nil }
    let (seq, isTooMuch) = first.addingReportingOverflow(UInt64(line) - 1)
    return isTooMuch ? nil : seq
  }

  /// A file that looks like a segment and is none.
  init(stranger name: String) {
    self.init(
      kind: .segmentName, segment: name, line: 0, byte: 0,
      what: "this is not the name of a segment: move the file away, or unpack it")
  }
}
