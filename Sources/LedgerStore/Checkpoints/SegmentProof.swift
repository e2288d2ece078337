internal import CivilTime
internal import Described
internal import Digests
internal import Foundations
package import Ledger

/// A segment as it was when it was proved.
struct SegmentProof: Sendable, Equatable {
  let name: String
  let stamp: FileStamp
  /// The chain at its last seal at that time.
  let end: ChainState
}

extension SegmentProof: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    name = try coder.field("name", value?.pointee.name)
    let inode = try coder.field("inode", (value?.pointee.stamp.inode).map(Int64.init(bitPattern:)))
    stamp = FileStamp(
      inode: UInt64(bitPattern: inode),
      bytes: try coder.field("bytes", value?.pointee.stamp.bytes),
      changedNanoseconds: try coder.field("changed", value?.pointee.stamp.changedNanoseconds))
    let seq = try coder.field("seq", value?.pointee.end.seq)
    let hash = try coder.field("hash", value?.pointee.end.hash)
    let seconds = try coder.field("at", value?.pointee.end.at.seconds)
    let nanoseconds = try coder.field("nanoseconds", value?.pointee.end.at.nanoseconds)
    end = ChainState(
      seq: seq, at: Instant(seconds: seconds, nanoseconds: nanoseconds), hash: hash)
  }
}

extension LedgerReader {
  /// Proofs of the segments up to the head, as they are now.
  func proofs() throws -> [SegmentProof] {
    var proofs: [SegmentProof] = []
    try eachSegment(after: 0) { segment, file, _, end in
      guard let seal = try SealSearch(fileSystem: fileSystem).last(in: file, before: end) else {
        return .next
      }
      proofs.append(
        SegmentProof(
          name: segment.name, stamp: try fileSystem.stamp(of: file), end: seal.state))
      return .next
    }
    return proofs
  }
}

extension LedgerVerifier {
  /// Verifies every line after `checkpoint`, and again every segment that has changed since: the one that held the last line, and
  /// any whose stamp differs. `heads` are known from outside.
  ///
  /// The cost is the new lines and one segment. A segment that decayed without the file system noticing, or was changed behind
  /// its back, is found only by a full verification.
  package func verify(
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

  /// Returns the stamp of a segment; nil if it cannot be unpacked.
  private func stamp(of segment: SegmentFile) throws -> FileStamp? {
    try unlessUnreadable {
      try fileSystem.reading(segment.path) { try fileSystem.stamp(of: $0) }
    }
  }
}

extension Damage {
  /// Returns the damage of a segment that no longer exists.
  fileprivate static func missing(_ name: String) -> Damage {
    Damage(
      kind: .segmentName, segment: name, line: 0, byte: 0,
      what: "the segment is missing: restore it from a copy")
  }
}
