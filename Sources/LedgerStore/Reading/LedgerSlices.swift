package import Foundations
package import Ledger
internal import StrictJSON

/// Slices of a ledger's lines, raw or as rows, for exports and counts.
package struct LedgerSlices: Sendable {
  /// The output format of a slice.
  package enum Format: Sendable {
    /// As they stand in the ledger, but with anything that would control a terminal escaped.
    case lines
    /// Rows of the type's columns below a header row. Lines of other types must not be selected.
    case csv(RecordType)
  }

  /// The approximate number of bytes passed on at once.
  private static let pieceBytes = 1 << 20

  private let reader: LedgerReader
  private let threads: Int

  /// Creates slices of the lines of `reader`, processed on up to `threads` threads.
  package init(_ reader: LedgerReader, threads: Int = Concurrently.threads) {
    self.reader = reader
    self.threads = threads
  }

  /// Calls `body` with the bytes of the lines that `selection` includes and that were not taken back, in order, at most some
  /// megabytes at a time.
  ///
  /// If users are named and there is an index, other users' blocks are not read. `body` is called on the caller's thread, until
  /// it stops.
  package func scan(
    _ selection: LineSelection, as format: Format, _ body: ([UInt8]) throws -> ReadingStep
  ) throws {
    let undone = try reader.undone(after: 0)
    var empty = SlicePart(selector: LineSelector(selection, but: undone))
    if case .csv(let type) = format {
      empty.rows = CSVRows(type)
      if try body(CSVRows(type).header) == .stop { return }
    }
    if !selection.users.isEmpty { return try scan(of: selection.users, into: empty, body) }
    try reader.foldLines(into: empty, threads: threads) { (part, line) throws(JSONError) in
      try part.add(line)
    } _: { part in
      part.bytes.isEmpty ? .next : try body(part.bytes)
    }
  }

  /// Counts all lines that were not taken back.
  package func count() throws -> LineCounts {
    var counts = LineCounts()
    try reader.foldLines(into: reader.emptyCounts(), threads: threads) {
      (part, line) throws(JSONError) in
      try part.add(line)
    } _: { part in
      counts.add(part)
      return .next
    }
    return counts
  }

  private func scan(
    of users: Set<String>, into empty: SlicePart, _ body: ([UInt8]) throws -> ReadingStep
  ) throws {
    let numbers = UserChoice.named(users).numbers ?? []
    var part = empty
    func handOn(_ least: Int) throws -> ReadingStep {
      guard part.bytes.count >= least, !part.bytes.isEmpty else { return .next }
      defer { part.bytes.removeAll(keepingCapacity: true) }
      return try body(part.bytes)
    }
    try reader.eachSegment(after: 0) { segment, file, start, end in
      let lines = SegmentLines(segment: segment, file: file, end: end, reader: reader)
      return try lines.scanLines(numbers, from: start) { line in
        do throws(JSONError) {
          try part.add(line.bytes)
        } catch {
          throw lines.damage(line.number, line.byte, error.what)
        }
        return try handOn(Self.pieceBytes)
      }
    }
    // Nothing is left after a stop.
    _ = try handOn(0)
  }
}

/// The selected lines of a range.
private struct SlicePart: Sendable {
  var selector: LineSelector
  /// Turns lines into rows; nil keeps them as they are.
  var rows: CSVRows?
  var bytes: [UInt8] = []

  mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    guard try selector.includes(line) else { return }
    if rows != nil {
      try rows?.append(line, to: &bytes)
    } else {
      if let escaped = ShownText.escaping(json: line) {
        bytes.append(contentsOf: escaped)
      } else {
        bytes.append(contentsOf: line)
      }
      bytes.append(UInt8(ascii: "\n"))
    }
  }
}
