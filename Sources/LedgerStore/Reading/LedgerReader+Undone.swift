internal import Files
internal import Ledger

extension LedgerReader {
  /// The lines that acts after `seq` have taken back, by number, in order. Such an act begins a segment, so that nobody need read
  /// lines to find it. Blocks.
  func undone(after seq: UInt64) throws -> [ClosedRange<UInt64>] {
    // Mostly what is read is behind the beginning of the last segment.
    guard lastSegment.firstSeq > max(1, seq) else { return [] }
    let (segments, _) = try SegmentFile.list(in: folder, fileSystem)
    return try segments.filter { $0.firstSeq > max(1, seq) && $0.firstSeq <= lastSegment.firstSeq }
      .compactMap { segment in
        try fileSystem.reading(segment.path) { file in
          let bytes = try fileSystem.bytes(of: file, in: 0..<RecordEncoder.lineLimitBytes)
          let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
          // What cannot be read is told by whoever comes to the line itself.
          return (try? RecordDecoder.decode(line))?.undone
        }
      }
  }

  /// Whether a line was taken back. Blocks.
  public func isUndone(_ seq: UInt64) throws -> Bool {
    try undone(after: seq).takesBack(seq)
  }
}
