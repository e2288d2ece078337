internal import Ledger

/// How to treat the end of a ledger before anything is appended to it.
enum TailDecision: Equatable {
  /// Continues the ledger after this seal; bytes of the last segment from `fromByte` on, if any, are cut off.
  case goOn(after: SealPlace, lastSegment: Int, fromByte: Int)
  /// Refuses the ledger: its files differ from what was sealed.
  case refuse([Damage])

  /// The longest unsealed ledger that a crash during the first batch can leave.
  static let firstBatchLimitBytes = 4_096

  /// Decides what to do with the end of a ledger: only bytes after the last complete seal are ever cut.
  ///
  /// A complete seal that does not match is damage, unless its batch is the last, `holdsNUL` (pages that never reached the disk)
  /// and none of `heads` names it.
  init(
    _ report: VerificationReport, segments: [SegmentFile], sizeBytes: Int, heads: [LedgerHead],
    holdsNUL: (Range<Int>) throws -> Bool
  ) throws {
    let last = segments.count - 1
    let name = segments[last].name
    let sealEnd = report.lastSegment == last ? report.lastSeal.endByte : 0
    let real = report.damage.filter { $0.segment != name || $0.byte < sealEnd || $0.isOutside }
    guard !real.isEmpty else {
      if report.head.seq == 0 && sizeBytes > Self.firstBatchLimitBytes {
        self = .refuse(report.damage)
      } else {
        self = .goOn(after: report.lastSeal, lastSegment: report.lastSegment, fromByte: sealEnd)
      }
      return
    }
    let before = report.sealBefore
    let isLastBatch =
      report.lastSegment == last
      && real.allSatisfy { $0.segment == name && $0.byte >= before.endByte && !$0.isOutside }
    let isNamed = heads.contains { $0.seq > before.state.seq }
    if isLastBatch, !isNamed, try holdsNUL(before.endByte..<sealEnd) {
      // The previous seal may be in the previous segment: this one is then emptied.
      let segment = before.endByte == 0 && before.state.seq > 0 ? last - 1 : last
      self = .goOn(after: before, lastSegment: max(0, segment), fromByte: before.endByte)
    } else {
      self = .refuse(real)
    }
  }
}

extension Damage {
  /// Whether this damage must never be cut away, wherever it is.
  fileprivate var isOutside: Bool {
    kind == .headMissing || kind == .newerFormat || kind == .segmentName
  }
}
