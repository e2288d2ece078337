internal import CivilTime
internal import Digests
internal import Files
public import Ledger
internal import StrictJSON

/// A segment that was proved, as it was then.
struct SegmentProof: Sendable, Equatable {
  let name: String
  let stamp: FileStamp
  /// The chain at its last seal then.
  let end: ChainState

  init(name: String, stamp: FileStamp, end: ChainState) {
    self.name = name
    self.stamp = stamp
    self.end = end
  }

  init?(_ node: JSONNode) {
    guard let name = node["name"]?.string, let inode = node["inode"]?.int,
      let bytes = node["bytes"]?.int, let changed = node["changed"]?.int,
      let seq = node["seq"]?.int, let hash = node.digest("hash"), let seconds = node["at"]?.int,
      let nanoseconds = node["nanoseconds"]?.int
    else { return nil }
    self.name = name
    stamp = FileStamp(
      inode: UInt64(bitPattern: inode), bytes: Int(bytes), changedNanoseconds: changed)
    end = ChainState(
      seq: UInt64(clamping: seq),
      at: Instant(seconds: seconds, nanoseconds: Int32(clamping: nanoseconds)), hash: hash)
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("name", name)
    json.member("inode", Int64(bitPattern: stamp.inode))
    json.member("bytes", stamp.bytes)
    json.member("changed", stamp.changedNanoseconds)
    json.member("seq", end.seq)
    json.member("hash", end.hash.description)
    json.member("at", end.at.seconds)
    json.member("nanoseconds", Int64(end.at.nanoseconds))
    json.endObject()
  }
}

extension LedgerReader {
  /// The segments up to the head, as they are now.
  func proofs() throws -> [SegmentProof] {
    var proofs: [SegmentProof] = []
    try eachSegment(after: 0) { segment, file, _, end in
      guard let seal = try SealSearch(fileSystem: fileSystem).last(in: file, before: end) else {
        return
      }
      proofs.append(
        SegmentProof(
          name: segment.name, stamp: try fileSystem.stamp(of: file), end: seal.state))
    }
    return proofs
  }
}

extension LedgerVerifier {
  /// Looks at every line after `checkpoint`, and again at every segment that was changed since: at the one that held the last
  /// line, and at others whose stamp is another one. `heads` are known from outside.
  ///
  /// So it costs what is new and one segment. A segment that decayed without the file system's knowledge, or that was changed
  /// behind its back, is found when everything is verified.
  public func verify(
    since checkpoint: AuditCheckpoint, heads: [LedgerHead] = []
  ) throws(LedgerError) -> VerificationReport {
    let (segments, strangers) = try SegmentFile.list(in: folder, fileSystem)
    var damage = strangers.map(Damage.init(stranger:))
    var records = 0
    do {
      for (number, proof) in checkpoint.segments.enumerated() {
        guard let index = segments.firstIndex(where: { $0.name == proof.name }) else {
          damage.append(.missing(proof.name))
          continue
        }
        let isLast = number == checkpoint.segments.count - 1
        if try !isLast && stamp(of: segments[index]) == proof.stamp { continue }
        let start = number == 0 ? nil : checkpoint.segments[number - 1].end
        let place = SealPlace(state: start ?? .origin, endByte: 0, lines: 0)
        let known = isLast ? heads.filter { $0.seq > place.state.seq } : []
        let report = try verify(
          segments, from: ChainStart(segment: index, place: place),
          heads: known.filter { $0.seq != proof.end.seq } + [proof.end.head],
          upTo: isLast ? nil : index + 1)
        damage += report.damage
        records += report.records
        if isLast {
          var whole = report
          whole.damage = damage
          whole.records = records
          return whole
        }
      }
    } catch {
      throw LedgerError(any: error)
    }
    var report = VerificationReport()
    report.damage = damage
    report.records = records
    return report
  }

  /// The stamp of a segment; nil when it cannot be unpacked.
  private func stamp(of segment: SegmentFile) throws -> FileStamp? {
    try unlessUnreadable {
      try fileSystem.reading(segment.path) { try fileSystem.stamp(of: $0) }
    }
  }
}

extension Damage {
  /// A segment that was there once.
  fileprivate static func missing(_ name: String) -> Damage {
    Damage(
      kind: .segmentName, segment: name, line: 0, byte: 0,
      what: "the segment is missing: put it back from a copy")
  }
}
