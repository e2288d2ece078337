internal import Foundations
package import Ledger

extension LedgerReader {
  /// Returns the numbers of the lines that acts after `seq` have taken back, in order. Such an act begins a segment, so finding
  /// it needs no search. Blocks.
  func undone(after seq: UInt64) throws -> [ClosedRange<UInt64>] {
    // Most reading starts after the beginning of the last segment.
    guard lastSegment.firstSeq > max(1, seq) else { return [] }
    let (segments, _) = try SegmentFile.list(in: folder, fileSystem)
    return try segments.filter { $0.firstSeq > max(1, seq) && $0.firstSeq <= lastSegment.firstSeq }
      .compactMap { segment in
        try fileSystem.reading(segment.path) { file in
          let bytes = try fileSystem.bytes(of: file, in: 0..<RecordEncoder.lineLimitBytes)
          let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
          // An unreadable line is reported when reading reaches it.
          return (try? RecordDecoder.decode(line))?.undone
        }
      }
  }

  /// Returns counts of zero that will leave out lines that were taken back and those after ``head``. Blocks.
  package func emptyCounts() throws -> LineCounts {
    LineCounts(but: try undone(after: 0), through: head.seq)
  }

  /// Returns whether a line was taken back. Blocks.
  package func isUndone(_ seq: UInt64) throws -> Bool {
    try undone(after: seq).takesBack(seq)
  }
}
