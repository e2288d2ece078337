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
    var empty = SlicePart(selector: LineSelector(selection))
    if case .csv(let type) = format {
      empty.rows = CSVRows(type)
      try body(CSVRows(type).header)
    }
    try foldLines(into: empty, threads: threads) { (part, line) throws(JSONError) in
      try part.add(line)
    } _: { part in
      if !part.bytes.isEmpty { try body(part.bytes) }
    }
  }

  /// Counts all lines, on up to `threads` threads.
  public func countLines(threads: Int = 2) throws -> LineCounts {
    var counts = LineCounts()
    try foldLines(into: LineCounts(), threads: threads) { (part, line) throws(JSONError) in
      try part.add(line)
    } _: { part in
      counts.add(part)
    }
    return counts
  }
}

/// The wanted lines of a stretch.
private struct SlicePart: Sendable {
  var selector: LineSelector
  /// What lines become; nil for lines as they are.
  var rows: CSVRows?
  var bytes: [UInt8] = []

  mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    guard try selector.includes(line) else { return }
    if rows != nil {
      try rows?.append(line, to: &bytes)
    } else {
      bytes.append(contentsOf: line)
      bytes.append(UInt8(ascii: "\n"))
    }
  }
}
