internal import Files
internal import Ledger
internal import StrictJSON

/// Which lines of a ledger are wanted: first by their bytes, then by what they say.
struct LineFilter {
  /// Whether a line may be wanted; what it rejects is not decoded.
  let isWanted: (UnsafeBufferPointer<UInt8>, LineOutline?) -> Bool
  /// Whether a record is.
  let isWantedRecord: (Record) -> Bool
}

/// Reads wanted lines of one segment and checks that each has the number that its place gives it.
struct SegmentLines {
  let segment: SegmentFile
  let file: OpenFile
  /// Where the lines end that count.
  let end: Int
  let reader: LedgerReader

  /// Calls `body` with the wanted records behind `start`, in order, until it stops: of users with one of `numbers` and about none, where
  /// there is an index; nil reads everything.
  func read(
    _ numbers: Set<UInt32>?, from start: SealPlace, _ filter: LineFilter,
    _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    var place = start
    if let numbers, let index = try reader.indexes?.index(of: segment, file, before: end),
      let wanted = try index.wanted(numbers)
    {
      if try read(wanted, filter, body) == .stop { return .stop }
      place = SealPlace(
        state: start.state, endByte: index.header.endByte, lines: index.header.lines)
    }
    var line = place.lines
    return try read(
      place.endByte..<end, &line, BlockReader(fileSystem: reader.fileSystem), filter, body)
  }

  /// Calls `body` with the wanted records of some blocks and those about no user, in order.
  private func read(
    _ wanted: SegmentIndex.Wanted, _ filter: LineFilter, _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    var common = wanted.common.filter(filter.isWantedRecord)[...]
    // Those about no user come from the index.
    let filter = LineFilter { line, outline in
      outline?.user != nil && filter.isWanted(line, outline)
    } isWantedRecord: {
      filter.isWantedRecord($0)
    }
    let blocks = BlockReader(
      fileSystem: reader.fileSystem,
      blockBytes: SegmentIndex.blockBytes + RecordEncoder.lineLimitBytes)
    for block in wanted.blocks {
      var line = block.linesBefore
      let step = try read(block.bytes, &line, blocks, filter) { record in
        while let next = common.first, next.seq < record.seq {
          if try body(common.removeFirst()) == .stop { return .stop }
        }
        return try body(record)
      }
      if step == .stop { return .stop }
    }
    for record in common where try body(record) == .stop { return .stop }
    return .next
  }

  private func read(
    _ range: Range<Int>, _ line: inout Int, _ blocks: BlockReader, _ filter: LineFilter,
    _ body: (Record) throws -> ReadingStep
  ) throws -> ReadingStep {
    let rest = try blocks.readLines(file, range) { bytes, byte in
      line += 1
      guard filter.isWanted(bytes, LineOutline(bytes)) else { return .next }
      let record: Record
      do throws(JSONError) {
        record = try RecordDecoder.decode(bytes)
      } catch {
        throw damage(line, byte + error.offset, error.what)
      }
      let expected = segment.firstSeq + UInt64(line - 1)
      guard record.seq == expected else {
        throw damage(line, byte, "seq \(record.seq) after \(expected - 1)")
      }
      return filter.isWantedRecord(record) ? try body(record) : .next
    }
    guard let rest else { return .stop }
    if rest > 0 { throw damage(line, range.upperBound - rest, "a torn line of \(rest) bytes") }
    return .next
  }

  private func damage(_ line: Int, _ byte: Int, _ what: String) -> LedgerError {
    LedgerError(
      damage: [
        Damage(kind: .foreignLine, segment: segment.name, line: line, byte: byte, what: what)
      ], in: reader.folder)
  }
}
