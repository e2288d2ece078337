internal import Foundations
internal import Ledger

/// Finds the end of a chain in a folder, checks the part not known to be whole, and cuts off what no seal commits.
struct LogOpening {
  let folder: String
  /// The folder that keeps the cut bytes.
  let stateFolder: String
  let segmentLimitBytes: Int
  let fileSystem: any FileSystem
  let monotonicSeconds: @Sendable () -> Double

  /// A log ready for writing, with what was cut and how many lines were checked.
  struct Opened {
    let log: SealedLog
    let cut: OpeningReport.Cut?
    let checkedRecords: Int
  }

  /// Opens the chain in `segments`, which must be all of them, from `start` on; `heads` come after it.
  func open(
    _ segments: [SegmentFile], from start: ChainStart, heads: [LedgerHead]
  ) throws -> Opened {
    guard let last = segments.last else {
      let first = SegmentFile(firstSeq: 1, in: folder)
      let origin = ChainStart().place
      return Opened(log: log(first, after: origin, lastSeal: []), cut: nil, checkedRecords: 0)
    }
    if last.isPacked {
      let packed = last.name + SegmentFile.packedSuffix
      throw LedgerError(
        .refused, place: "\(folder)/\(packed)",
        cause: "the newest segment is packed, so nothing can be appended to it",
        remedy: "unpack it with `zstd -d --rm \(packed)`; nothing was changed")
    }
    let verifier = LedgerVerifier(folder: folder, fileSystem: fileSystem)
    let report = try verifier.verify(segments, from: start, heads: heads)
    return try fileSystem.reading(last.path) { file in
      let size = try fileSystem.size(of: file)
      let decision = try TailDecision(
        report, segments: segments, sizeBytes: size, heads: heads
      ) { range in
        try fileSystem.bytes(of: file, in: range).contains(0)
      }
      switch decision {
      case .refuse(let damage): throw LedgerError(damage: damage, in: folder)
      case .goOn(let place, let segment, let fromByte):
        var cut: OpeningReport.Cut?
        if fromByte < size {
          cut = try saveCut(last, file, fromByte..<size, after: place.state.seq)
        }
        let log = try continuing(place, in: segments, segment)
        // The bytes now kept aside are cut off here, so that a second crash finds a clean end.
        try log.recover()
        return Opened(log: log, cut: cut, checkedRecords: report.records)
      }
    }
  }

  /// Returns a log that continues in the last segment, whether the last seal is there or in the one before.
  private func continuing(
    _ place: SealPlace, in segments: [SegmentFile], _ index: Int
  ) throws -> SealedLog {
    let last = segments[segments.count - 1]
    guard index == segments.count - 1, place.endByte > 0 else {
      let start = SealPlace(state: place.state, endByte: 0, lines: 0)
      return log(last, after: start, lastSeal: [])
    }
    let range = max(0, place.endByte - SealBuilder.limitBytes)..<place.endByte
    let end = try fileSystem.reading(last.path) { try fileSystem.bytes(of: $0, in: range) }
    return log(last, after: place, lastSeal: end)
  }

  private func log(_ segment: SegmentFile, after place: SealPlace, lastSeal: [UInt8]) -> SealedLog {
    SealedLog(
      folder: folder, segment: segment, after: place, lastSeal: lastSeal,
      segmentLimitBytes: segmentLimitBytes, fileSystem: fileSystem,
      monotonicSeconds: monotonicSeconds)
  }

  private func saveCut(
    _ segment: SegmentFile, _ file: OpenFile, _ range: Range<Int>, after seq: UInt64
  ) throws -> OpeningReport.Cut {
    let taken = Set(try fileSystem.names(in: stateFolder))
    var name = "cut-\(seq)-\(range.lowerBound)"
    var attempt = 1
    while taken.contains(name) {
      attempt += 1
      name = "cut-\(seq)-\(range.lowerBound)-\(attempt)"
    }
    let path = "\(stateFolder)/\(name)"
    var pieces: [[UInt8]] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + (1 << 20))
      pieces.append(try fileSystem.bytes(of: file, in: offset..<end))
      offset = end
    }
    try fileSystem.createDurably(path, in: stateFolder, pieces)
    return OpeningReport.Cut(
      segment: segment.name, byte: range.lowerBound, count: range.count, keptIn: path)
  }
}
