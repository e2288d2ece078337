public import Foundations
public import Ledger
internal import StrictJSON

/// Slices of a ledger's lines, raw or as rows, for exports and counts.
public struct LedgerSlices: Sendable {
  /// The output format of a slice.
  public enum Format: Sendable {
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
  public init(_ reader: LedgerReader, threads: Int = Concurrently.threads) {
    self.reader = reader
    self.threads = threads
  }

  /// Calls `body` with the bytes of the lines that `selection` includes and that were not taken back, in order, at most some
  /// megabytes at a time.
  ///
  /// If users are named and there is an index, other users' blocks are not read. `body` is called on the caller's thread, until
  /// it stops.
  public func scan(
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
  public func count() throws -> LineCounts {
    var counts = LineCounts()
    try reader.foldLines(into: LineCounts(but: reader.undone(after: 0)), threads: threads) {
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
      func add(_ line: UnsafeBufferPointer<UInt8>, at byte: Int) throws -> ReadingStep {
        do throws(JSONError) {
          try part.add(line)
        } catch {
          throw damage(in: segment, at: byte, error.what)
        }
        return try handOn(Self.pieceBytes)
      }
      var place = start.endByte
      if let index = try reader.indexes?.index(of: segment, file, before: end),
        let wanted = try index.wanted(numbers)
      {
        if try scan(wanted, index, segment, file, add) == .stop { return .stop }
        place = index.header.endByte
      }
      let rest = try BlockReader(fileSystem: reader.fileSystem).readLines(file, place..<end) {
        line, byte in
        try add(line, at: byte)
      }
      guard let rest else { return .stop }
      if rest > 0 { throw damage(in: segment, at: end - rest, "a torn line of \(rest) bytes") }
      return .next
    }
    // Nothing is left after a stop.
    _ = try handOn(0)
  }

  /// Calls `add` with the lines of some blocks and, in between, with the lines about no user from the index.
  private func scan(
    _ wanted: SegmentIndex.Wanted, _ index: SegmentIndex, _ segment: SegmentFile, _ file: OpenFile,
    _ add: (UnsafeBufferPointer<UInt8>, Int) throws -> ReadingStep
  ) throws -> ReadingStep {
    try index.commonLines.withUnsafeBufferPointer { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      var common = zip(wanted.common.map(\.seq), lines).map {
        ($0, UnsafeBufferPointer(rebasing: $1))
      }[...]
      let blocks = BlockReader(
        fileSystem: reader.fileSystem,
        blockBytes: SegmentIndex.blockBytes + RecordEncoder.lineLimitBytes)
      for block in wanted.blocks {
        var seq = segment.firstSeq + UInt64(block.linesBefore)
        let rest = try blocks.readLines(file, block.bytes) { line, byte in
          while let (first, text) = common.first, first < seq {
            common.removeFirst()
            if try add(text, byte) == .stop { return .stop }
          }
          seq += 1
          return LineOutline(line)?.user == nil ? .next : try add(line, byte)
        }
        if rest == nil { return .stop }
      }
      for (_, text) in common where try add(text, index.header.endByte) == .stop { return .stop }
      return .next
    }
  }

  private func damage(in segment: SegmentFile, at byte: Int, _ what: String) -> LedgerError {
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: 0, byte: byte, what: what)
      ], in: reader.folder)
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
