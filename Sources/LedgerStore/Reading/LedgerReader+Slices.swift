internal import Glibc
public import Ledger
internal import StrictJSON

extension LedgerReader {
  /// How the lines of a slice are written.
  public enum SliceFormat: Sendable {
    /// As they stand in the ledger.
    case lines
    /// As rows of the type's columns, below a row of their names. Lines of other types must not be selected.
    case csv(RecordType)
  }

  /// Calls `body` with the bytes of the lines that `selection` wants, in order, some megabytes at most at a time.
  ///
  /// Lines are looked at on up to `threads` threads; `body` is called on the caller's. Stops when it throws.
  public func readSlice(
    _ selection: LineSelection, as format: SliceFormat, threads: Int = 2,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    let rows: CSVLines?
    switch format {
    case .lines: rows = nil
    case .csv(let type): rows = CSVLines(type)
    }
    if let rows { try body(rows.header) }
    try eachSegment(after: 0) { segment, file, start, end in
      let cutter = SliceCutter(
        selection: selection, rows: rows, segment: segment, folder: folder, threads: threads)
      var byte = start.endByte
      let reader = BlockReader(fileSystem: fileSystem, blockBytes: BlockDecoder.blockBytes)
      let rest = try reader.read(file, start.endByte..<end) { bytes in
        let count = try cutter.cut(bytes, at: byte, body)
        byte += count
        return (count, false)
      }
      if let rest, rest > 0 { throw cutter.damage(at: byte, "a torn line of \(rest) bytes") }
    }
  }
}
