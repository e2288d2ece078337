package import Foundations
package import Ledger

/// Reads a ledger's lines in order, up to a seal, for projections and exports, whether or not a writer is running.
///
/// A use case opens one and hands it on to all that it calls, so that they answer for the same head. Memory does not grow with the
/// ledger. Blocks the caller: never on the cooperative pool.
package struct LedgerReader: Sendable {
  /// The ledger's id.
  package let ledger: String
  /// The seal up to which lines are read.
  package let head: LedgerHead

  let folder: String
  let fileSystem: any FileSystem
  /// The segment that holds the head's seal, and the byte where the seal ends.
  let lastSegment: SegmentFile
  let endByte: Int
  /// A seal with a known position, from which reading after it can begin.
  var known: KnownSeal?
  /// Indexes of users' lines; nil where there are none.
  var indexes: SegmentIndexes?
  /// The snapshots beside the ledger; nil where there are none.
  var snapshots: SnapshotFolder?

  /// A seal and its segment.
  struct KnownSeal: Sendable {
    let segment: String
    let place: SealPlace
  }

  /// The position where an earlier reading stopped, so that the next one can continue without a search.
  package struct Place: Sendable {
    let segment: String
    let place: SealPlace
  }

  /// Calls `body` on the caller's thread with the records of `selection` after `seq`, in order, until it stops. Skips lines that
  /// were taken back, except seals.
  ///
  /// Lines that are not selected are skipped by their first bytes. Others are decoded on up to `threads` threads, block by block:
  /// if `body` stops early, the rest of the block was read in vain. Lines that an index finds are read on the caller's thread.
  package func scanUntilStopped(
    _ selection: RecordSelection = .everything, after seq: UInt64 = 0,
    threads: Int = Concurrently.threads, _ body: (Record) throws -> ReadingStep
  ) throws {
    guard indexes != nil, let numbers = selection.numbers else {
      var place: Place?
      return try scan(selection, after: seq, threads: threads, resuming: &place, body)
    }
    let filter = try selection.filter(of: self, after: seq)
    try eachSegment(after: seq) { segment, file, start, end in
      try SegmentLines(segment: segment, file: file, end: end, reader: self)
        .scan(numbers, from: start, filter, body)
    }
  }

  /// Calls `body` with all records of `selection` after `seq`.
  package func scan(
    _ selection: RecordSelection = .everything, after seq: UInt64 = 0,
    threads: Int = Concurrently.threads, _ body: (Record) throws -> Void
  ) throws {
    try scanUntilStopped(selection, after: seq, threads: threads) { record in
      try body(record)
      return .next
    }
  }

  /// Scans records without an index, beginning at `place` if that helps, and stores there where it stopped.
  package func scan(
    _ selection: RecordSelection = .everything, after seq: UInt64, threads: Int,
    resuming place: inout Place?, _ body: (Record) throws -> ReadingStep
  ) throws {
    let filter = try selection.filter(of: self, after: seq)
    try eachSegment(after: seq, resuming: place) { segment, file, start, end in
      var decoder = BlockDecoder(
        folder: folder, segment: segment, start: start, skipping: seq, filter, threads: threads)
      let reader = BlockReader(fileSystem: fileSystem, blockBytes: decoder.blockBytes)
      let rest = try reader.read(file, start.endByte..<end) { bytes in
        place = Place(segment: segment.name, place: decoder.place)
        return try decoder.decode(bytes, body)
      }
      guard let rest else { return .stop }
      if rest > 0 { throw decoder.torn(rest) }
      return .next
    }
  }

  /// Calls `body` with the number and exact bytes, `\n` included, of every line after `seq`, even those taken back, until it
  /// stops.
  package func scanLines(
    after seq: UInt64, _ body: (UInt64, UnsafeBufferPointer<UInt8>) throws -> ReadingStep
  ) throws {
    try eachSegment(after: seq) { segment, file, start, end in
      var next = segment.firstSeq + UInt64(start.lines)
      let range = start.endByte..<end
      let rest = try BlockReader(fileSystem: fileSystem).readLines(file, range) { line, _ in
        // Lines come out of a block of whole lines, so the `\n` follows each.
        let whole = UnsafeBufferPointer(start: line.baseAddress, count: line.count + 1)
        defer { next += 1 }
        return next > seq ? try body(next, whole) : .next
      }
      return rest == nil ? .stop : .next
    }
  }

  /// Calls `body` with each segment that may hold lines after `seq`, where to begin in it, and where it ends, until it stops.
  func eachSegment(
    after seq: UInt64, resuming resumed: Place? = nil,
    _ body: (SegmentFile, OpenFile, SealPlace, Int) throws -> ReadingStep
  ) throws {
    let (segments, _) = try SegmentFile.list(in: folder, fileSystem)
    let wanted = segments.filter { $0.firstSeq <= lastSegment.firstSeq }
    let first = wanted.lastIndex { $0.firstSeq <= seq &+ 1 } ?? 0
    var expected = first == 0 ? 1 : wanted[first].firstSeq
    for segment in wanted.dropFirst(first) {
      guard segment.firstSeq == expected else { throw gap(before: segment, expected: expected) }
      let search = SealSearch(fileSystem: fileSystem)
      let step = try fileSystem.reading(segment.path) { file in
        let isLast = segment.firstSeq == lastSegment.firstSeq
        let end = isLast ? endByte : try fileSystem.size(of: file)
        var start = SealPlace(state: .origin, endByte: 0, lines: 0)
        if let resumed, resumed.segment == segment.name,
          segment.firstSeq + UInt64(resumed.place.lines) <= seq &+ 1
        {
          start = resumed.place
        } else if let known, known.segment == segment.name, known.place.state.seq <= seq {
          start = known.place
        } else if seq > segment.firstSeq {
          start = try search.place(notAfter: seq, in: file, of: segment, before: end) ?? start
        }
        let step = try body(segment, file, start, max(start.endByte, end))
        if step == .stop { return step }
        if !isLast { expected = (try search.last(in: file, before: end)?.state.seq ?? 0) + 1 }
        return step
      }
      if step == .stop { return }
    }
  }

  private func gap(before segment: SegmentFile, expected: UInt64) -> LedgerError {
    LedgerError(
      damage: [
        Damage(
          kind: .segmentName, segment: segment.name, line: 0, byte: 0,
          what: "the segment before this one, which begins with \(expected), is missing")
      ], in: folder)
  }
}
